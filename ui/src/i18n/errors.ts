import type { FailureCode } from "../backend/backend";
import { m } from "../paraglide/messages";

/** What happened and what to do, for each code. The compiler asks for a sentence as soon as a code is added. */
const SENTENCES: Record<FailureCode, () => string> = {
  bridge: m.error_bridge,
  unknown_card: m.error_unknown_card,
  bad_setting: m.error_bad_setting,
  not_stored: m.error_not_stored,
  not_readable: m.error_not_readable,
  too_much: m.error_too_much,
  not_exported: m.error_not_exported,
  no_answer: m.error_no_answer,
  holder_silent: m.error_holder_silent,
  other_version: m.error_other_version,
  other_user: m.error_other_user,
  ending: m.error_ending,
  not_started: m.error_not_started,
};

/** The sentence for an error, in the reader's language. It depends on the code alone, never on English text. */
export function errorSentence(code: FailureCode): string {
  return SENTENCES[code]();
}
