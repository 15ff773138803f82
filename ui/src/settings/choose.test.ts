import { expect, test } from "vitest";
import { choose } from "./choose";

function listOf(...values: string[]): HTMLSelectElement {
  const list = document.createElement("select");
  for (const value of values) {
    list.append(new Option(value, value));
  }
  return list;
}

test("a list shows what holds: the choice, or what was before if the choice is refused", async () => {
  let theme = "light";
  const list = listOf("light", "dark");
  list.value = "dark";
  await choose(
    list,
    () => Promise.resolve(),
    () => theme,
  );
  expect(list.value).toBe("light");
  list.value = "dark";
  await choose(
    list,
    (choice) => {
      theme = choice;
      return Promise.resolve();
    },
    () => theme,
  );
  expect(list.value).toBe("dark");
});
