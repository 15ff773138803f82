import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
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
  preview: { host: "127.0.0.1", port: 1421, strictPort: true },
  // Vitest must take Svelte's browser build, or `mount` is the server's and throws.
  resolve: mode === "test" ? { conditions: ["browser"] } : {},
  test: { environment: "jsdom", include: ["src/**/*.test.ts"], restoreMocks: true },
}));
