/** Why a value is missing, in words. A missing value is a dash with this reason, never a zero. */
import type { Missing } from "../backend/types/Missing";
import { m } from "../paraglide/messages";
import { clockTime } from "./format";
import { nvmlName } from "./nvml";

/** The sentence for a reason. */
export function missingSentence(missing: Missing, now: number): string {
  switch (missing.kind) {
    case "not_supported":
      return m.missing_not_supported();
    case "no_permission":
      return m.missing_no_permission();
    case "lost":
      return m.missing_lost();
    case "stuck":
      return m.missing_stuck({ time: clockTime(missing.since_ms, now) });
    case "error":
      return m.missing_error({ code: nvmlName(missing.nvml) });
    case "not_yet":
      return m.missing_not_yet();
    default:
      return missing satisfies never;
  }
}
