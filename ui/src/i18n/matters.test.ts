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
  const holder = null;
  expect(matterSentence({ code: "card_missing", seats: [7], holder })).toBe("Card 7 is missing");
  expect(matterSentence({ code: "card_missing", seats: [3, 7], holder })).toBe("Cards 3 and 7 are missing");
  expect(matterSentence({ code: "card_stuck", seats: [3, 7], holder })).toBe("Cards 3 and 7 do not answer");
});

test("a holder that says nothing is named, and so is what goes on with it or ends it", () => {
  const silent = {
    code: "holder_silent",
    seats: [],
    holder: { pid: 4711, kind: "serve", version: "0.1.0" },
  } as const;
  expect(matterSentence(silent)).toBe(
    "The program that reads the rig does not answer (fanfarectl serve, process 4711)",
  );
  expect(matterStep(silent)).toBe(
    "Let it go on with `kill -CONT 4711`, or end it with `kill -KILL 4711`: then this window takes over.",
  );
  speak("zh-CN");
  expect(matterSentence(silent)).toBe("读取主机的程序没有应答（fanfarectl serve，进程 4711）");
  expect(matterStep(silent)).toContain("`kill -CONT 4711`");
});

test("each trouble has a next step that is its own sentence in both languages", () => {
  const matters = Object.values(SCENES).flatMap((scene) => scene().status.matters);
  for (const matter of matters) {
    const { code } = matter;
    speak("en");
    const english = [matterSentence(matter), matterStep(matter)];
    speak("zh-CN");
    const chinese = [matterSentence(matter), matterStep(matter)];
    expect(english[1], code).toMatch(/[a-z].*\.$/);
    expect(chinese[1], code).toMatch(/[一-鿿].*。$/);
    expect(chinese[0], code).not.toBe(english[0]);
  }
});
