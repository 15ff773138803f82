import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { slimMessages } from "./build/messages.js";

/** The window's own content security policy, so that the page is tried under it in a browser too. */
function windowPolicy(): string {
  const text = readFileSync(new URL("../tauri.conf.json", import.meta.url), "utf8");
  const config = JSON.parse(text) as { app: { security: { csp: Record<string, string> } } };
  return Object.entries(config.app.security.csp)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join("; ");
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), slimMessages()],
  // The page is loaded from the app itself: relative addresses work under every scheme.
  base: "./",
  build: {
    target: "safari16.4", // the oldest WebKitGTK line that still gets security updates (2.40)
    outDir: mode === "recorded" ? "dist-recorded" : "dist",
    emptyOutDir: true,
    // Inlined assets would be data: URLs, which the content security policy refuses for scripts and styles.
    assetsInlineLimit: 0,
  },
  // A development server that only this machine reaches; Tauri is told the same port.
  server: { host: "127.0.0.1", port: 1420, strictPort: true },
  preview: {
    host: "127.0.0.1",
    port: 1421,
    strictPort: true,
    headers: { "Content-Security-Policy": windowPolicy() },
  },
  // Vitest must take Svelte's browser build, or `mount` is the server's and throws.
  resolve: mode === "test" ? { conditions: ["browser"] } : {},
  test: {
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          environment: "jsdom",
          include: ["src/**/*.test.ts"],
          setupFiles: ["tests/setup.ts"],
        },
      },
      // The whole page in a real browser, as `npm run build:recorded` made it.
      { extends: true, test: { name: "page", environment: "node", include: ["tests/page/*.test.ts"] } },
    ],
  },
}));
