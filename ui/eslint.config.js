import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import svelte from "eslint-plugin-svelte";
import { defineConfig, globalIgnores } from "eslint/config";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

/** The one file that may talk to the shell; the rest of the UI knows the `Backend` interface alone. */
const BRIDGE = "src/backend/tauri.ts";

export default defineConfig(
  globalIgnores(["dist/", "dist-recorded/", "src/paraglide/", "src/backend/types/"]),
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, extraFileExtensions: [".svelte"] },
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  { files: ["*.config.js", "build/*.js", "tests/bench/*.js"], languageOptions: { globals: globals.node } },
  {
    files: ["src/**"],
    ignores: [BRIDGE, "src/backend/tauri.test.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [{ group: ["@tauri-apps/*"], message: `Only ${BRIDGE} talks to the shell.` }],
        },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "ImportExpression[source.value=/^@tauri-apps/]",
          message: `Only ${BRIDGE} talks to the shell.`,
        },
      ],
    },
  },
  {
    rules: {
      // A number in a sentence is fine; the formatters of the locale are used where digits matter.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
);
