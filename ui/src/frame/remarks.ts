/** What the status line says: the engine's matters, and what the page itself can see to be wrong, the worst first. */
import type { Level } from "../backend/types/Level";
import type { RigFrame } from "../backend/types/RigFrame";
import { cardsPhrase, matterSentence, matterStep } from "../i18n/matters";
import { m } from "../paraglide/messages";
import { valueOf } from "../parts/shown";
import { heatOf, HOT } from "../rig/heat";

/** One sentence about the rig. */
export interface Remark {
  level: Level;
  what: string;
  /** What to do; none if there is nothing to do. */
  step: string | null;
  nvml: number | null;
  sinceMs: number | null;
  detail: string | null;
}

const RANK: Record<Level, number> = { critical: 4, warning: 3, notice: 2, waiting: 1, calm: 0 };

const remark = (level: Level, what: string, step: string | null): Remark => ({
  level,
  what,
  step,
  nvml: null,
  sinceMs: null,
  detail: null,
});

/**
 * The sentences for a frame that came so long ago; at least one. `silentMs` counts from the moment when the next frame should
 * have come: from `stale_after_ms` on the app itself is silent, whatever its last frame said.
 */
export function remarksOn(frame: RigFrame | null, silentMs: number): Remark[] {
  if (!frame) {
    return [remark("waiting", m.status_waiting(), null)];
  }
  const remarks: Remark[] = frame.status.matters.map((matter) => ({
    level: matter.level,
    what: matterSentence(matter),
    step: matterStep(matter),
    nvml: matter.nvml,
    sinceMs: matter.since_ms,
    detail: matter.detail,
  }));
  const hot = hotSeats(frame, silentMs);
  if (hot.length > 0) {
    const what = (hot.length === 1 ? m.hot_one : m.hot_many)({ cards: cardsPhrase(hot) });
    remarks.push(remark("warning", what, m.hot_step()));
  }
  if (silentMs >= frame.stale_after_ms) {
    remarks.unshift(remark("critical", m.status_feed_silent(), m.status_feed_silent_step()));
  }
  if (remarks.length === 0) {
    const waiting = frame.status.level === "waiting";
    return [remark(frame.status.level, waiting ? m.status_waiting() : m.status_calm(), null)];
  }
  // The sort is stable: what the engine put first of a level stays first.
  return remarks.sort((one, other) => RANK[other.level] - RANK[one.level]);
}

/** How old the newest reading of any card is: a sweep that none answered has read nothing. None if there is no reading. */
export function readAgeMs({ age_ms, status, tiles }: RigFrame, silentMs: number): number | null {
  if (status.answering > 0 || tiles.length === 0) {
    return age_ms === null ? null : age_ms + silentMs;
  }
  const ages = tiles.flatMap(({ values }) => (values ? [values.age_ms + silentMs] : []));
  return ages.length > 0 ? Math.min(...ages) : null;
}

/** The cards that are hot by a reading that is not stale. */
function hotSeats(frame: RigFrame, silentMs: number): number[] {
  return frame.tiles
    .filter(({ state, values }) => {
      if (state.kind !== "answering" || !values || values.age_ms + silentMs >= frame.stale_after_ms) {
        return false;
      }
      const celsius = valueOf(values.temperature_c);
      return celsius !== null && heatOf(celsius) >= HOT;
    })
    .map((tile) => tile.seat);
}
