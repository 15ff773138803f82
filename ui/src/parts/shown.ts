/** A value that is there, or why there is none. */
import type { Missing } from "../backend/types/Missing";
import type { Shown } from "../backend/types/Shown";

/** Whether the value is missing. Values themselves have no `missing`. */
export function isMissing<T>(shown: Shown<T>): shown is { missing: Missing } {
  return typeof shown === "object" && shown !== null && "missing" in shown;
}

/** The value, or `null` where a dash stands. */
export function valueOf<T>(shown: Shown<T>): T | null {
  return isMissing(shown) ? null : shown;
}
