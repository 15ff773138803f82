/** What the driver asks of a card's fans, as one figure where they agree. */
import type { Shown } from "../backend/types/Shown";
import { percent, decimal } from "../i18n/format";
import { isMissing, valueOf } from "../parts/shown";

/** `57 %`, `61 / 63 %`, or with a dash for a fan that is not told: `61 / – %`. */
export function fansText(duties: readonly Shown<number>[]): string {
  const values = duties.map(valueOf);
  const [first] = values;
  if (first !== undefined && first !== null && values.every((value) => value === first)) {
    return percent(first);
  }
  const list = values.map((value) => (value === null ? "–" : decimal(value)));
  return `${list.join(" / ")}\u00a0%`;
}

/** The greatest duty as a share of 1; none if no fan is told. */
export function fansShare(duties: readonly Shown<number>[]): number | null {
  const told = duties.filter((duty): duty is number => !isMissing(duty));
  return told.length === 0 ? null : Math.max(...told) / 100;
}
