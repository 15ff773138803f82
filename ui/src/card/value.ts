/** A quantity of a card in words: its number with its unit, its name, or the reason why it is missing. */
import type { Missing } from "../backend/types/Missing";
import type { Shown } from "../backend/types/Shown";
import type { Unit } from "../backend/types/Unit";
import type { Value } from "../backend/types/Value";
import { bytes, celsius, decimal, percent, withUnit } from "../i18n/format";
import { missingSentence } from "../i18n/missing";
import { m } from "../paraglide/messages";
import { isMissing } from "../parts/shown";

const MILLIJOULES_IN_KWH = 3.6e9;

/** A number with its unit. The compiler asks for words as soon as a unit is added. */
const UNITS: Record<Unit, (number: number) => string> = {
  celsius,
  percent,
  milliwatts: (number) => withUnit(number / 1000, "W", 1),
  millijoules: (number) => withUnit(number / MILLIJOULES_IN_KWH, "kWh", 3),
  bytes,
  megahertz: (number) => withUnit(number, "MHz"),
  rpm: (number) => withUnit(number, "rpm"),
  generation: (number) => m.value_generation({ n: decimal(number) }),
  lanes: (number) => `×${decimal(number)}`,
  pstate: (number) => `P${decimal(number)}`,
  count: (number) => decimal(number),
};

/** Names out of the engine's fixed lists: what holds clocks down, and what brings a card back. */
const CODES: Readonly<Record<string, () => string>> = {
  idle: m.throttle_idle,
  application_clocks: m.throttle_application_clocks,
  power_cap: m.throttle_power_cap,
  hardware_slowdown: m.throttle_hardware_slowdown,
  sync_boost: m.throttle_sync_boost,
  software_thermal: m.throttle_software_thermal,
  hardware_thermal: m.throttle_hardware_thermal,
  power_brake: m.throttle_power_brake,
  display_clocks: m.throttle_display_clocks,
  none: m.recovery_none,
  reset: m.recovery_reset,
  reboot: m.recovery_reboot,
  drain_peers: m.recovery_drain_peers,
  drain_and_reset: m.recovery_drain_and_reset,
};

/** A value in words. A code newer than the list stands as the engine names it. */
export function valueText(value: Value, now: number): string {
  switch (value.kind) {
    case "number":
      return UNITS[value.unit](value.number);
    case "range":
      return m.value_range({ min: UNITS[value.unit](value.min), max: UNITS[value.unit](value.max) });
    case "each":
      return value.values.map((one) => shownText(one, now)).join(" · ");
    case "flag":
      return value.on ? m.flag_on() : m.flag_off();
    case "text":
      return value.text;
    case "codes":
      return value.codes.length === 0
        ? m.codes_none()
        : value.codes.map((code) => CODES[code]?.() ?? code).join(" · ");
    default:
      return value satisfies never;
  }
}

/** Why there is no value: it is missing, or each of its parts is, for the first one's reason. */
export function missingOf(shown: Shown<Value>): Missing | null {
  if (isMissing(shown)) {
    return shown.missing;
  }
  if (shown.kind !== "each") {
    return null;
  }
  const reasons = shown.values.map(missingOf);
  return reasons.every((reason) => reason !== null) ? (reasons[0] ?? null) : null;
}

/** The value in words, or the reason why there is none. */
function shownText(shown: Shown<Value>, now: number): string {
  return isMissing(shown) ? missingSentence(shown.missing, now) : valueText(shown, now);
}
