/** What is wrong, in words: what happened and what to do, for every code of the engine. */
import type { Holder } from "../backend/types/Holder";
import type { Matter } from "../backend/types/Matter";
import type { MatterCode } from "../backend/types/MatterCode";
import { m } from "../paraglide/messages";
import { decimal } from "./format";
import { kindOf } from "./holder";
import { locale } from "./locale.svelte";

/**
 * Matters of the whole rig have one sentence, those of the process that holds the data name it; those of cards have one for a
 * single card and one for several.
 */
type Sentence =
  | { of: "rig"; what: () => string; step: () => string }
  | { of: "holder"; what: (who: Named) => string; step: (who: Named) => string }
  | { of: "cards"; one: CardSentence; many: CardSentence; step: () => string };
type CardSentence = (subject: { cards: string }) => string;
interface Named {
  kind: string;
  pid: string;
}

const rig = (what: () => string, step: () => string): Sentence => ({ of: "rig", what, step });
const holder = (what: (who: Named) => string, step: (who: Named) => string): Sentence => ({
  of: "holder",
  what,
  step,
});
const cards = (one: CardSentence, many: CardSentence, step: () => string): Sentence => ({
  of: "cards",
  one,
  many,
  step,
});

/** The compiler asks for sentences as soon as a code is added. */
const SENTENCES: Record<MatterCode, Sentence> = {
  library_absent: rig(m.matter_library_absent, m.matter_library_absent_step),
  library_unusable: rig(m.matter_library_unusable, m.matter_library_unusable_step),
  library_too_old: rig(m.matter_library_too_old, m.matter_library_too_old_step),
  version_mismatch: rig(m.matter_version_mismatch, m.matter_version_mismatch_step),
  driver_not_loaded: rig(m.matter_driver_not_loaded, m.matter_driver_not_loaded_step),
  no_permission: rig(m.matter_no_permission, m.matter_no_permission_step),
  driver_failed: rig(m.matter_driver_failed, m.matter_driver_failed_step),
  driver_stuck: rig(m.matter_driver_stuck, m.matter_driver_stuck_step),
  probe_absent: rig(m.matter_probe_absent, m.matter_probe_absent_step),
  probe_crashed: rig(m.matter_probe_crashed, m.matter_probe_crashed_step),
  probe_silent: rig(m.matter_probe_silent, m.matter_probe_silent_step),
  probe_version: rig(m.matter_probe_version, m.matter_probe_version_step),
  holder_silent: holder(m.matter_holder_silent, m.matter_holder_silent_step),
  list_failed: rig(m.matter_list_failed, m.matter_list_failed_step),
  list_stuck: rig(m.matter_list_stuck, m.matter_list_stuck_step),
  no_cards: rig(m.matter_no_cards, m.matter_no_cards_step),
  card_missing: cards(m.matter_card_missing_one, m.matter_card_missing_many, m.matter_card_missing_step),
  card_lost: cards(m.matter_card_lost_one, m.matter_card_lost_many, m.matter_card_lost_step),
  card_stuck: cards(m.matter_card_stuck_one, m.matter_card_stuck_many, m.matter_card_stuck_step),
  card_needs_reset: cards(
    m.matter_card_needs_reset_one,
    m.matter_card_needs_reset_many,
    m.matter_card_needs_reset_step,
  ),
  card_failing: cards(m.matter_card_failing_one, m.matter_card_failing_many, m.matter_card_failing_step),
  card_unreached: cards(
    m.matter_card_unreached_one,
    m.matter_card_unreached_many,
    m.matter_card_unreached_step,
  ),
  not_stored: rig(m.matter_not_stored, m.matter_not_stored_step),
  state_newer: rig(m.matter_state_newer, m.matter_state_newer_step),
  state_set_aside: rig(m.matter_state_set_aside, m.matter_state_set_aside_step),
  settings_reset: rig(m.matter_settings_reset, m.matter_settings_reset_step),
  history_not_stored: rig(m.matter_history_not_stored, m.matter_history_not_stored_step),
  history_newer: rig(m.matter_history_newer, m.matter_history_newer_step),
  history_set_aside: rig(m.matter_history_set_aside, m.matter_history_set_aside_step),
  ledger_not_stored: rig(m.matter_ledger_not_stored, m.matter_ledger_not_stored_step),
  ledger_newer: rig(m.matter_ledger_newer, m.matter_ledger_newer_step),
  ledger_set_aside: rig(m.matter_ledger_set_aside, m.matter_ledger_set_aside_step),
};

/** More cards than this are counted, not named. */
const NAMED_AT_MOST = 4;

/** Of a matter, what its sentences name. */
type Told = Pick<Matter, "code" | "holder"> & { seats: readonly number[] };

/** What happened, with the cards or the process it concerns. */
export function matterSentence({ code, seats, holder }: Told): string {
  const sentence = SENTENCES[code];
  switch (sentence.of) {
    case "rig":
      return sentence.what();
    case "holder":
      return sentence.what(named(holder));
    case "cards":
      return (seats.length > 1 ? sentence.many : sentence.one)({ cards: cardsPhrase(seats) });
  }
}

/** What to do about it. */
export function matterStep({ code, holder }: Omit<Told, "seats">): string {
  const sentence = SENTENCES[code];
  return sentence.of === "holder" ? sentence.step(named(holder)) : sentence.step();
}

/** The engine names the process in each matter that is one's. */
function named(holder: Holder | null): Named {
  return holder ? { kind: kindOf(holder.kind), pid: String(holder.pid) } : { kind: "?", pid: "?" };
}

/** `Card 7`, `Cards 3 and 7`, `12 cards`. */
export function cardsPhrase(seats: readonly number[]): string {
  const [first] = seats;
  if (first === undefined) {
    return m.a_card();
  }
  if (seats.length === 1) {
    return m.card_one({ seat: first });
  }
  if (seats.length > NAMED_AT_MOST) {
    return m.cards_many({ count: decimal(seats.length) });
  }
  // 简体中文 lists figures by commas alone; English has an "and".
  const style = locale() === "zh-CN" ? "narrow" : "long";
  const list = new Intl.ListFormat(locale(), { type: "conjunction", style });
  return m.cards_some({ seats: list.format(seats.map((seat) => decimal(seat))) });
}
