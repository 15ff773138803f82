/** Runs `brush.ts`, which is not JavaScript: `node tests/bench/run.js FOLDER`. */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

/** @type {{ module: typeof import("./brush") }} */
const { module } = await runnerImport(fileURLToPath(new URL("brush.ts", import.meta.url)));
await module.record(process.argv[2] ?? ".");
