/** Sentences as this page needs them: the compiler writes each for servers and for tracing too, which no window does. */

const SENTENCES = "/src/paraglide/messages/";

/**
 * What is taken out of each sentence's function: a call that counts it, and an option that no caller gives.
 * @type {readonly (readonly [RegExp, string])[]}
 */
const UNUSED = [
  [/^\ttrackMessageCall\(.*\)$/gm, ""],
  [/^\tif \(experimentalMiddlewareLocaleSplitting[\s\S]*?\n\t\}$/gm, ""],
  [/options\.locale \?\? getLocale\(\)/g, "getLocale()"],
  [/, options = \{\}\)/g, ")"],
];

/**
 * Slims the sentences while they are bundled; what the compiler writes otherwise passes as it is.
 * @returns {import("vite").Plugin}
 */
export function slimMessages() {
  return {
    name: "slim-messages",
    apply: "build",
    transform: (code, id) =>
      id.includes(SENTENCES)
        ? { code: UNUSED.reduce((text, [unused, rest]) => text.replace(unused, rest), code), map: null }
        : null,
  };
}
