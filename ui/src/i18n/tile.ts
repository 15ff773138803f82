/** Words for a card's state, its use and who says so. */
import type { Occupancy } from "../backend/types/Occupancy";
import type { MatterCode } from "../backend/types/MatterCode";
import type { TileState } from "../backend/types/TileState";
import { m } from "../paraglide/messages";

const STATES: Record<TileState["kind"], () => string> = {
  answering: m.state_answering,
  waiting: m.state_waiting,
  stuck: m.state_stuck,
  lost: m.state_lost,
  needs_reset: m.state_needs_reset,
  failing: m.state_failing,
  missing: m.state_missing,
  unreached: m.state_unreached,
};

/** A state in one word or two. */
export function stateWord(state: TileState): string {
  return STATES[state.kind]();
}

/** What is wrong with a card in this state, if something is. */
export const MATTER_OF: Record<TileState["kind"], MatterCode | null> = {
  answering: null,
  waiting: null,
  stuck: "card_stuck",
  lost: "card_lost",
  needs_reset: "card_needs_reset",
  failing: "card_failing",
  missing: "card_missing",
  unreached: "card_unreached",
};

/** What a card is used for; with the platform where there is room. */
export function usageWord({ usage }: Occupancy, room: "wide" | "narrow" = "wide"): string {
  switch (usage.kind) {
    case "unknown":
      return m.usage_unknown();
    case "idle":
      return m.usage_idle();
    case "busy":
      return m.usage_busy();
    case "own_job":
      return m.usage_own_job();
    case "rented":
      return room === "wide" ? m.usage_rented_on({ platform: usage.platform }) : m.usage_rented();
    default:
      return usage satisfies never;
  }
}

/** Who says so. */
export function sourceWords({ usage, source }: Occupancy): string {
  switch (source) {
    case "nobody":
      return m.source_nobody();
    case "processes":
      return m.source_processes();
    case "owner":
      return m.source_owner();
    case "platform":
      return usage.kind === "rented"
        ? m.source_platform({ platform: usage.platform })
        : m.source_platform_any();
    case "simulation":
      return m.source_simulation();
    default:
      return source satisfies never;
  }
}
