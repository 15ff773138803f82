/** The program that holds the data, in words. */
import type { Kind } from "../backend/types/Kind";
import { m } from "../paraglide/messages";

const KINDS: Record<Kind, () => string> = {
  window: m.settings_kind_window,
  serve: m.settings_kind_serve,
  command: m.settings_kind_command,
};

/** What kind of program it is. */
export function kindOf(kind: Kind): string {
  return KINDS[kind]();
}
