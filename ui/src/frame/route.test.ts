import { expect, test } from "vitest";
import { hashOf, routeOf } from "./route";

test.each([
  ["", { view: "rig" }],
  ["#/", { view: "rig" }],
  ["#/settings", { view: "settings" }],
  ["#/card/GPU-1", { view: "card", uuid: "GPU-1" }],
  ["#/card/", { view: "rig" }],
  ["#/nowhere", { view: "rig" }],
] as const)("the address %s shows %j", (hash, route) => {
  expect(routeOf(hash)).toEqual(route);
});

test("an address leads back to its view", () => {
  for (const route of [{ view: "rig" }, { view: "settings" }, { view: "card", uuid: "GPU-2" }] as const) {
    expect(routeOf(hashOf(route))).toEqual(route);
  }
});
