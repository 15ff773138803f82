import { expect, test } from "vitest";
import { hashOf, routeOf } from "./route";

test.each([
  ["", { view: "rig" }],
  ["#/", { view: "rig" }],
  ["#/settings", { view: "settings" }],
  ["#/card/GPU-1", { view: "card", uuid: "GPU-1" }],
  ["#/card/", { view: "rig" }],
  ["#/cards/power", { view: "cards", quantity: "power" }],
  ["#/cards", { view: "cards", quantity: "temperature" }],
  ["#/cards/nothing", { view: "cards", quantity: "temperature" }],
  ["#/nowhere", { view: "rig" }],
] as const)("the address %s shows %j", (hash, route) => {
  expect(routeOf(hash)).toEqual(route);
});

test("an address leads back to its view", () => {
  const routes = [
    { view: "rig" },
    { view: "settings" },
    { view: "card", uuid: "GPU-2" },
    { view: "cards", quantity: "utilisation" },
  ] as const;
  for (const route of routes) {
    expect(routeOf(hashOf(route))).toEqual(route);
  }
});
