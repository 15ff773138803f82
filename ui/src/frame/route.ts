/** What the window shows, as the part of its address after `#`: it survives a reload, and the browser's own back works. */

export type Route = { view: "rig" } | { view: "settings" } | { view: "card"; uuid: string };

/** The route of an address's hash; the rig for anything unknown. */
export function routeOf(hash: string): Route {
  const [view, uuid] = hash.replace(/^#\/?/, "").split("/", 2);
  if (view === "settings") {
    return { view };
  }
  if (view === "card" && uuid) {
    return { view, uuid };
  }
  return { view: "rig" };
}

/** The hash of a route. */
export function hashOf(route: Route): string {
  return route.view === "card" ? `#/card/${route.uuid}` : route.view === "settings" ? "#/settings" : "#/";
}
