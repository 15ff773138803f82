import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, test } from "vitest";
import { tauriBackend } from "./tauri";

afterEach(() => {
  clearMocks();
});

test("about asks the shell's command of that name", async () => {
  const asked: string[] = [];
  mockIPC((command) => {
    asked.push(command);
    return { name: "Fanfare", version: "1.2.3" };
  });
  await expect(tauriBackend.about()).resolves.toEqual({ name: "Fanfare", version: "1.2.3" });
  expect(asked).toEqual(["about"]);
});

test("a refusal by the shell is a bridge error that keeps the shell's words as detail", async () => {
  mockIPC(() => {
    throw "about not allowed by ACL"; // eslint-disable-line @typescript-eslint/only-throw-error -- Tauri rejects with a string
  });
  await expect(tauriBackend.about()).rejects.toMatchObject({
    code: "bridge",
    detail: "about not allowed by ACL",
  });
});
