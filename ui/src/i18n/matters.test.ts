import { expect, test } from "vitest";
import { SCENES } from "../backend/recorded/scenes";
import { speak } from "./locale.svelte";
import { cardsPhrase, matterSentence, matterStep } from "./matters";

test.each([
  [[7], "Card 7", "7 号卡"],
  [[3, 7], "Cards 3 and 7", "3、7 号卡"],
  [[1, 3, 7], "Cards 1, 3, and 7", "1、3、7 号卡"],
  [[1, 2, 3, 4, 5], "5 cards", "5 张卡"],
  [[], "the card", "该卡"],
] as const)("seats %j read %s and %s", (seats, english, chinese) => {
  expect(cardsPhrase(seats)).toBe(english);
  speak("zh-CN");
  expect(cardsPhrase(seats)).toBe(chinese);
});

test("one card has a verb in the singular, several in the plural", () => {
  expect(matterSentence("card_missing", [7])).toBe("Card 7 is missing");
  expect(matterSentence("card_missing", [3, 7])).toBe("Cards 3 and 7 are missing");
  expect(matterSentence("card_stuck", [3, 7])).toBe("Cards 3 and 7 do not answer");
});

test("each trouble has a next step that is its own sentence in both languages", () => {
  const matters = Object.values(SCENES).flatMap((scene) => scene().status.matters);
  for (const { code, seats } of matters) {
    speak("en");
    const english = [matterSentence(code, seats), matterStep(code)];
    speak("zh-CN");
    const chinese = [matterSentence(code, seats), matterStep(code)];
    expect(english[1], code).toMatch(/[a-z].*\.$/);
    expect(chinese[1], code).toMatch(/[一-鿿].*。$/);
    expect(chinese[0], code).not.toBe(english[0]);
  }
});
