import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BackendError, type Backend } from "../backend/backend";
import { setLocale } from "../paraglide/runtime";
import AboutView from "./AboutView.svelte";

const answering: Backend = { about: () => Promise.resolve({ name: "Fanfare", version: "7.8.9" }) };
const refusing: Backend = { about: () => Promise.reject(new BackendError("bridge", "refused")) };

beforeEach(async () => {
  await setLocale("en", { reload: false });
});

afterEach(cleanup);

test("shows the name and version that the app reports, and where the live table is", async () => {
  render(AboutView, { backend: answering });
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("Fanfare");
  expect(screen.getByText("Version 7.8.9")).toBeTruthy();
  expect(screen.getByText(/The rig’s live table is in the terminal:/).textContent).toContain(
    "fanfarectl watch",
  );
});

test("speaks 简体中文 when the reader does", async () => {
  await setLocale("zh-CN", { reload: false });
  render(AboutView, { backend: answering });
  expect(await screen.findByText("版本 7.8.9")).toBeTruthy();
  expect(screen.getByText(/整机实时状态表在终端里/)).toBeTruthy();
});

test("a shell that does not answer is said in words, without a made-up version", async () => {
  render(AboutView, { backend: refusing });
  expect((await screen.findByRole("alert")).textContent).toBe(
    "The window could not reach the app. Close it and start Fanfare again.",
  );
  expect(screen.queryByText(/Version/)).toBeNull();
});
