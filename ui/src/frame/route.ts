/** What the window shows, as the part of its address after `#`: it survives a reload, and the browser's own back works. */

import { isShown, type ShownQuantity } from "../multiples/picture";

export type Route =
  | { view: "rig" }
  | { view: "settings" }
  | { view: "card"; uuid: string }
  | { view: "cards"; quantity: ShownQuantity };

/** The route of an address's hash; the rig for anything unknown. */
export function routeOf(hash: string): Route {
  const [view, which] = hash.replace(/^#\/?/, "").split("/", 2);
  if (view === "settings") {
    return { view };
  }
  if (view === "card" && which) {
    return { view, uuid: which };
  }
  if (view === "cards") {
    return { view, quantity: which !== undefined && isShown(which) ? which : "temperature" };
  }
  return { view: "rig" };
}

/** The hash of a route. */
export function hashOf(route: Route): string {
  switch (route.view) {
    case "card":
      return `#/card/${route.uuid}`;
    case "cards":
      return `#/cards/${route.quantity}`;
    case "settings":
      return "#/settings";
    default:
      return "#/";
  }
}
