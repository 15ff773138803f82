import { expect, test } from "vitest";
import { BackendError } from "../backend/backend";
import { recordedBackend } from "../backend/recorded/recorded";
import { SettingsStore } from "./store.svelte";

test("a change is told, kept and named", async () => {
  const store = new SettingsStore(recordedBackend(""));
  await store.load();
  await store.change("money", { currency: "CNY", zone: "Asia/Shanghai", day_begins: 8, tariff: null });
  expect(store.settings?.money.currency).toBe("CNY");
  expect(store.settings?.appearance.theme).toBe("system");
  expect(store.kept).toBe("money");
  await store.reset("money");
  expect(store.settings?.money).toEqual({ currency: "USD", zone: "UTC", day_begins: 0, tariff: null });
});

test("a refusal changes nothing, and stays until its section is kept again", async () => {
  const backend = recordedBackend("");
  const store = new SettingsStore(backend);
  await store.load();
  backend.changeSettings = () => Promise.reject(new BackendError("bad_setting", "no", "money.zone"));
  await store.change("money", { currency: "USD", zone: "Nowhere", day_begins: 0, tariff: null });
  expect(store.settings?.money.zone).toBe("UTC");
  expect(store.refused.money?.detail).toBe("money.zone");
  expect(store.kept).toBeNull();
  const answering = recordedBackend("");
  backend.changeSettings = (patch) => answering.changeSettings(patch);
  await store.change("reading", { nvml_library: null });
  expect(store.refused.money?.detail).toBe("money.zone");
  await store.change("money", { currency: "USD", zone: "UTC", day_begins: 0, tariff: null });
  expect(store.refused.money).toBeUndefined();
});

test("settings that cannot be told are a failure, not defaults", async () => {
  const store = new SettingsStore(recordedBackend("?fail=settings:no_answer"));
  await store.load();
  expect(store.settings).toBeNull();
  expect(store.failure?.code).toBe("no_answer");
});
