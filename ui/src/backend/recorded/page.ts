/** A card's page, made of what its tile shows. */
import type { CardPage } from "../types/CardPage";
import type { Group } from "../types/Group";
import type { Missing } from "../types/Missing";
import type { Row } from "../types/Row";
import type { RowCode } from "../types/RowCode";
import type { Shown } from "../types/Shown";
import type { Tile } from "../types/Tile";
import type { Unit } from "../types/Unit";
import type { Value } from "../types/Value";
import { isMissing } from "../../parts/shown";

const NOT_SUPPORTED: Missing = { kind: "not_supported" };

const row = (code: RowCode, value: Shown<Value>): Row => ({ code, value });
const none = (code: RowCode, missing: Missing): Row => row(code, { missing });
const text = (code: RowCode, words: string): Row => row(code, { kind: "text", text: words });
const flag = (code: RowCode, on: boolean): Row => row(code, { kind: "flag", on });

function number(code: RowCode, value: Shown<number>, unit: Unit): Row {
  return row(code, isMissing(value) ? value : { kind: "number", number: value, unit });
}

/** Everything that a card of this kind tells. */
export function pageOf(tile: Tile): CardPage {
  const { values } = tile;
  const missing: Missing = tile.state.kind === "lost" ? { kind: "lost" } : { kind: "not_yet" };
  if (!values) {
    const groups: Group[] = [
      { code: "heat", rows: [none("temperature", missing)] },
      { code: "identity", rows: [text("uuid", tile.uuid)] },
    ];
    return { tile, details_age_ms: null, groups, processes: { missing } };
  }
  const fans = isMissing(values.fans_percent)
    ? values.fans_percent
    : {
        kind: "each" as const,
        values: values.fans_percent.map((duty) =>
          isMissing(duty) ? duty : { kind: "number" as const, number: duty, unit: "percent" as const },
        ),
      };
  const used = isMissing(values.memory_used_bytes) ? 0 : values.memory_used_bytes;
  const groups: Group[] = [
    {
      code: "heat",
      rows: [
        number("temperature", values.temperature_c, "celsius"),
        number("temperature_target", 83, "celsius"),
        none("temperature_max", NOT_SUPPORTED),
        number("temperature_slowdown", 94, "celsius"),
        number("temperature_shutdown", 99, "celsius"),
      ],
    },
    {
      code: "power",
      rows: [
        number("power", values.power_mw, "milliwatts"),
        number("power_limit_enforced", values.power_limit_mw, "milliwatts"),
        number("power_limit_default", 115_000, "milliwatts"),
        row("power_limit_range", { kind: "range", min: 90_000, max: 115_000, unit: "milliwatts" }),
        number("energy", 123_456_789_000, "millijoules"),
      ],
    },
    {
      code: "work",
      rows: [
        number("utilisation", values.utilisation_percent, "percent"),
        number("memory_activity", 41, "percent"),
        number("clock_graphics", 2475, "megahertz"),
        number("clock_graphics_max", 3105, "megahertz"),
        number("clock_memory", 8251, "megahertz"),
        number("clock_memory_max", 8501, "megahertz"),
        number("pstate", 2, "pstate"),
        row("throttle", { kind: "codes", codes: ["power_cap", "software_thermal"] }),
      ],
    },
    {
      code: "memory",
      rows: [
        number("memory_used", used, "bytes"),
        number("memory_reserved", 254 * 2 ** 20, "bytes"),
        number("memory_free", 8188 * 2 ** 20 - used, "bytes"),
        number("memory_total", values.memory_total_bytes, "bytes"),
      ],
    },
    {
      code: "fans",
      rows: [
        row("fan_duty", fans),
        none("fan_speed", NOT_SUPPORTED),
        row("fan_manual", {
          kind: "each",
          values: [
            { kind: "flag", on: false },
            { kind: "flag", on: true },
          ],
        }),
        row("fan_range", { kind: "range", min: 30, max: 100, unit: "percent" }),
      ],
    },
    {
      code: "link",
      rows: [
        number("link_generation", 4, "generation"),
        number("link_generation_max", 4, "generation"),
        number("link_width", 1, "lanes"),
        number("link_width_max", 8, "lanes"),
        number("pcie_replays", 0, "count"),
        row("recovery", { kind: "codes", codes: [] }),
      ],
    },
    {
      code: "identity",
      rows: [
        text("name", "NVIDIA GeForce RTX 4060"),
        text("uuid", tile.uuid),
        text("bus_id", tile.slot ?? ""),
        text("vbios", "95.07.31.00.C9"),
        text("compute_capability", "8.9"),
        flag("persistence", true),
        none("ecc", NOT_SUPPORTED),
        none("mig", NOT_SUPPORTED),
      ],
    },
  ];
  const count = isMissing(values.processes) ? 0 : values.processes;
  const processes = Array.from({ length: count }, (_, index) => ({
    pid: 41_200 + index,
    name: "python3",
    memory_bytes: used,
  }));
  return { tile, details_age_ms: 42_000, groups, processes };
}
