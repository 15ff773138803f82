import { expect, test } from "vitest";
import { FrameJoin } from "./join";
import { SCENES } from "./recorded/scenes";

function frame(number: number) {
  const whole = SCENES.sixty_four?.();
  if (!whole) {
    throw new Error("there is no scene of 64 cards");
  }
  return { ...whole, number };
}

test("a frame of one part is whole at once", () => {
  const whole = frame(1);
  expect(new FrameJoin().take({ part: "head", frame: whole, more: 0 })).toEqual(whole);
});

test("parts are joined in order", () => {
  const join = new FrameJoin();
  const whole = frame(2);
  const head = { ...whole, tiles: whole.tiles.slice(0, 10) };
  expect(join.take({ part: "head", frame: head, more: 2 })).toBeNull();
  expect(join.take({ part: "tiles", number: 2, tiles: whole.tiles.slice(10, 40), more: 1 })).toBeNull();
  expect(join.take({ part: "tiles", number: 2, tiles: whole.tiles.slice(40), more: 0 })).toEqual(whole);
});

test("a new head lets go of an unfinished frame, and the old frame's parts are passed over", () => {
  const join = new FrameJoin();
  const old = frame(3);
  const next = frame(4);
  join.take({ part: "head", frame: { ...old, tiles: [] }, more: 1 });
  join.take({ part: "head", frame: { ...next, tiles: [] }, more: 1 });
  expect(join.take({ part: "tiles", number: 3, tiles: old.tiles, more: 0 })).toBeNull();
  expect(join.take({ part: "tiles", number: 4, tiles: next.tiles, more: 0 })).toEqual(next);
});

test("a part without a head is passed over", () => {
  expect(new FrameJoin().take({ part: "tiles", number: 1, tiles: [], more: 0 })).toBeNull();
});
