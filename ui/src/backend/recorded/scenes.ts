/** States of a rig that the page must show well, by name. A page test opens each of them. */
import type { Disk } from "../types/Disk";
import type { FileHealth } from "../types/FileHealth";
import type { Level } from "../types/Level";
import type { Matter } from "../types/Matter";
import type { MatterCode } from "../types/MatterCode";
import type { RigFrame } from "../types/RigFrame";
import type { Tile } from "../types/Tile";
import { aged, AT_MS, card, FRESH_MS, reading, troubled, unread } from "./cards";

/** Three intervals of a second. */
const STALE_AFTER_MS = 3000;
const MINUTE_MS = 60_000;
const SET_ASIDE = "/srv/rig/.local/share/fanfare/state.db.damaged-20261130T031207Z (file is not a database)";

const cards = (count: number): Tile[] => Array.from({ length: count }, (_, index) => card(index + 1));

function matter(code: MatterCode, level: Level, rest: Partial<Matter> = {}): Matter {
  return { code, level, seats: [], nvml: null, since_ms: null, holder: null, detail: null, ...rest };
}

function frame(tiles: Tile[], matters: Matter[] = [], rest: Partial<RigFrame> = {}): RigFrame {
  return {
    number: 1,
    profile: "real",
    simulated: false,
    at_ms: AT_MS - FRESH_MS,
    age_ms: FRESH_MS,
    stale_after_ms: STALE_AFTER_MS,
    driver: { version: "580.95.05", library: "13.580.95.05", cuda: "13.0" },
    status: {
      level: matters[0]?.level ?? "calm",
      matters,
      cards: tiles.length,
      answering: tiles.filter((tile) => tile.state.kind === "answering").length,
      rented: tiles.filter((tile) => tile.occupancy.usage.kind === "rented").length,
    },
    tiles,
    ...rest,
  };
}

/** Every state of a tile at once. */
function trouble(): RigFrame {
  const [one, two, three, four, five, six, seven, eight] = cards(8) as [
    Tile,
    Tile,
    Tile,
    Tile,
    Tile,
    Tile,
    Tile,
    Tile,
  ];
  const since_ms = AT_MS - 14_000;
  const tiles = [
    reading(one, { temperature_c: 87, fans_percent: [100, 100] }),
    reading(two, {
      power_mw: { missing: { kind: "not_supported" } },
      fans_percent: { missing: { kind: "error", nvml: 999 } },
    }),
    troubled(three, { kind: "stuck", since_ms }, 15_000),
    troubled(four, { kind: "lost" }, 4 * MINUTE_MS),
    reading(five, { temperature_c: 82, fans_percent: [84, 79] }),
    troubled(six, { kind: "needs_reset" }, 9000),
    unread(seven, { kind: "missing", last_seen_ms: AT_MS - 3 * 24 * 60 * MINUTE_MS }),
    troubled(eight, { kind: "failing", nvml: 999 }, 31_000),
  ];
  return frame(tiles, [
    matter("card_missing", "critical", { seats: [7] }),
    matter("card_lost", "critical", { seats: [4], nvml: 15 }),
    matter("card_stuck", "critical", { seats: [3], since_ms }),
    matter("card_needs_reset", "warning", { seats: [6], nvml: 16 }),
    matter("card_failing", "warning", { seats: [8], nvml: 999 }),
    matter("not_stored", "warning", { detail: "state.db: attempt to write a readonly database" }),
    matter("state_set_aside", "notice", { detail: SET_ASIDE }),
    matter("settings_reset", "notice"),
  ]);
}

/** How what must be remembered fares by the frame's matters. */
export function diskOf({ status }: RigFrame): Disk {
  const find = (code: MatterCode) => status.matters.find((matter) => matter.code === code);
  const detail = find("not_stored")?.detail;
  return {
    unstored: detail ? { kind: "refused", detail } : null,
    set_aside: find("state_set_aside")?.detail ?? null,
    settings_reset: find("settings_reset") ? ["money"] : [],
    history: healthOf("history", find),
    ledger: healthOf("ledger", find),
  };
}

function healthOf(file: "history" | "ledger", find: (code: MatterCode) => Matter | undefined): FileHealth {
  const refused = find(`${file}_not_stored`)?.detail;
  const newer = find(`${file}_newer`)?.detail;
  const set_aside = find(`${file}_set_aside`)?.detail ?? null;
  if (newer) {
    return { unstored: { kind: "newer", detail: newer }, set_aside };
  }
  return { unstored: refused ? { kind: "refused", detail: refused } : null, set_aside };
}

function waiting(): RigFrame {
  const tiles = cards(8).map((tile) => unread(tile, { kind: "waiting" }));
  const rig = frame(tiles, [], { at_ms: null, age_ms: null, driver: null });
  return { ...rig, status: { ...rig.status, level: "waiting" } };
}

function stale(code: MatterCode = "probe_silent", rest: Partial<Matter> = {}): RigFrame {
  const age_ms = 14_000;
  return frame(
    cards(8).map((tile) => aged(tile, age_ms)),
    [matter(code, "critical", { since_ms: AT_MS - age_ms, ...rest })],
    { at_ms: AT_MS - age_ms, age_ms },
  );
}

/** Nothing can be read: eight cards are remembered, and missing. */
function unreadable(code: MatterCode, rest: Partial<Matter> = {}): RigFrame {
  const last_seen_ms = AT_MS - 26 * 60 * MINUTE_MS;
  const tiles = cards(8).map((tile) => unread(tile, { kind: "missing", last_seen_ms }));
  const seats = tiles.map((tile) => tile.seat);
  return frame(tiles, [matter(code, "critical", rest), matter("card_missing", "critical", { seats })], {
    at_ms: null,
    age_ms: null,
    driver: null,
  });
}

/** Two of a kind, each in a sentence of its own where it concerns cards. */
function cardsWith(code: MatterCode, level: Level): RigFrame {
  return frame(cards(8), [matter(code, level, { seats: [3, 7] })]);
}

/** The rig's troubles, one scene each. The compiler asks for a scene as soon as a code is added. */
const TROUBLES: Record<MatterCode, () => RigFrame> = {
  library_absent: () =>
    unreadable("library_absent", { detail: "libnvidia-ml.so.1: cannot open shared object file" }),
  library_unusable: () => unreadable("library_unusable"),
  library_too_old: () => unreadable("library_too_old"),
  version_mismatch: () => unreadable("version_mismatch", { nvml: 18 }),
  driver_not_loaded: () => unreadable("driver_not_loaded", { nvml: 9 }),
  no_permission: () => unreadable("no_permission", { nvml: 4 }),
  driver_failed: () => unreadable("driver_failed", { nvml: 999 }),
  driver_stuck: () => {
    const since_ms = AT_MS - 45_000;
    const tiles = cards(8).map((tile) => troubled(tile, { kind: "stuck", since_ms }, 46_000));
    return frame(tiles, [matter("driver_stuck", "critical", { since_ms })]);
  },
  probe_absent: () => unreadable("probe_absent"),
  probe_crashed: () => unreadable("probe_crashed", { detail: "ended by signal 11" }),
  probe_silent: () => stale(),
  holder_silent: () => stale("holder_silent", { holder: { pid: 4711, kind: "serve", version: "0.1.0" } }),
  probe_version: () => unreadable("probe_version"),
  list_failed: () => frame(cards(8), [matter("list_failed", "warning", { nvml: 999 })]),
  list_stuck: () => frame(cards(8), [matter("list_stuck", "warning", { since_ms: AT_MS - 20_000 })]),
  no_cards: () => frame([], [matter("no_cards", "notice")]),
  card_missing: () => cardsWith("card_missing", "critical"),
  card_lost: () => cardsWith("card_lost", "critical"),
  card_stuck: () => cardsWith("card_stuck", "critical"),
  card_needs_reset: () => cardsWith("card_needs_reset", "warning"),
  card_failing: () => cardsWith("card_failing", "warning"),
  card_unreached: () => {
    const tiles = cards(8).map((tile) => (tile.seat === 8 ? unread(tile, { kind: "unreached" }) : tile));
    return frame(tiles, [matter("card_unreached", "critical", { seats: [8], nvml: 15 })]);
  },
  not_stored: () => frame(cards(8), [matter("not_stored", "warning", { detail: "No space left on device" })]),
  state_newer: () =>
    frame(cards(8), [matter("state_newer", "warning", { detail: "state.db is of version 99" })]),
  state_set_aside: () => frame(cards(8), [matter("state_set_aside", "notice", { detail: SET_ASIDE })]),
  settings_reset: () => frame(cards(8), [matter("settings_reset", "notice")]),
  history_not_stored: () =>
    frame(cards(8), [matter("history_not_stored", "notice", { detail: "No space left on device" })]),
  history_newer: () =>
    frame(cards(8), [matter("history_newer", "notice", { detail: "history.db is of version 99" })]),
  history_set_aside: () => frame(cards(8), [matter("history_set_aside", "notice", { detail: SET_ASIDE })]),
  ledger_not_stored: () =>
    frame(cards(8), [matter("ledger_not_stored", "warning", { detail: "No space left on device" })]),
  ledger_newer: () =>
    frame(cards(8), [matter("ledger_newer", "warning", { detail: "ledger.db is of version 99" })]),
  ledger_set_aside: () => frame(cards(8), [matter("ledger_set_aside", "warning", { detail: SET_ASIDE })]),
};

/** All scenes by name. */
export const SCENES: Readonly<Record<string, () => RigFrame>> = {
  calm: () => frame(cards(8)),
  trouble,
  waiting,
  stale: () => stale(),
  demo: () => frame(cards(8), [], { profile: "demo", simulated: true }),
  one: () => frame(cards(1)),
  sixteen: () => frame(cards(16)),
  sixty_four: () => {
    const tiles = cards(64).map((tile) =>
      tile.seat % 10 === 0 ? troubled(tile, { kind: "lost" }, MINUTE_MS) : tile,
    );
    const seats = tiles.filter((tile) => tile.state.kind === "lost").map((tile) => tile.seat);
    return frame(tiles, [matter("card_lost", "critical", { seats, nvml: 15 })]);
  },
  ...TROUBLES,
};
