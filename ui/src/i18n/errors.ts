import type { ErrorCode } from "../backend/backend";
import { m } from "../paraglide/messages";

/** The compiler asks for a sentence here as soon as a code is added. */
const SENTENCES: Record<ErrorCode, () => string> = {
  bridge: m.error_bridge,
};

/** The sentence for an error, in the reader's language. It depends on the code alone, never on English text. */
export function errorSentence(code: ErrorCode): string {
  return SENTENCES[code]();
}
