/**
 * Sentences as this page needs them. The compiler writes each as three functions, with room for servers and tracing that no window
 * has; bundled, each is one function that chooses between its two texts.
 */

const SENTENCES = "/src/paraglide/messages/";

/** A text in one language: its language by the start of its name, and the template literal that it returns. */
const TEXT =
  /^const (en|zh_cn\d*)_\w+ = .*\n\treturn \/\*\* @type \{LocalizedString\} \*\/ \((`(?:[^`\\]|\\.)*`)\)\n\};$/gm;
const EXPORTED = /^export const (\w+) = \(/m;
const IMPORT = 'import { getLocale } from "../runtime.js";';

/**
 * The module of one sentence, as one function; `null` where the compiler wrote something else.
 * @param {string} code
 */
function slim(code) {
  const name = EXPORTED.exec(code)?.[1];
  const texts = [...code.matchAll(TEXT)];
  const [english, chinese] = texts.map(([, , text]) => text);
  if (!name || !english || !chinese || texts.length !== 2 || texts[0]?.[1] !== "en") {
    return null;
  }
  const inputs = /\$\{i\?\./.test(code) ? "i" : "";
  const body = `getLocale() === "en" ? ${english} : ${chinese}`.replaceAll("${i?.", "${i.");
  return `${IMPORT}\nexport const ${name} = (${inputs}) => ${body};\n`;
}

/**
 * Slims the sentences while they are bundled.
 * @returns {import("vite").Plugin}
 */
export function slimMessages() {
  return {
    name: "slim-messages",
    apply: "build",
    transform: (code, id) => {
      const slimmed = id.includes(SENTENCES) ? slim(code) : null;
      return slimmed === null ? null : { code: slimmed, map: null };
    },
  };
}
