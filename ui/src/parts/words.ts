/** Sentences in which what is typed or looked for stands between backticks, so that it is shown as code and not broken. */

/** The parts of a sentence in order: words and code in turn. */
export function partsOf(sentence: string): { text: string; isCode: boolean }[] {
  return sentence.split("`").map((text, index) => ({ text, isCode: index % 2 === 1 }));
}

/** The sentence without marks, for a title or a label. */
export function plain(sentence: string): string {
  return sentence.replaceAll("`", "");
}
