import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, onTestFinished, test } from "vitest";
import App from "./App.svelte";
import { uuidOf } from "./backend/recorded/cards";
import { SCENES } from "./backend/recorded/scenes";
import { recordedBackend } from "./backend/recorded/recorded";
import { speak } from "./i18n/locale.svelte";
import { RigFeed } from "./rig/feed.svelte";
import { SettingsStore } from "./settings/store.svelte";

/** The page over recorded data, as its address would choose it. */
async function opened(search: string, hash = "#/") {
  location.hash = hash;
  const backend = recordedBackend(search);
  const store = new SettingsStore(backend);
  const feed = new RigFeed(backend, document);
  onTestFinished(feed.start());
  await store.load();
  render(App, { backend, store, feed });
  return { backend, store };
}

const tile = (seat: number) => screen.getByRole("article", { name: `Card ${seat}` });
/** An element's texts in order, a plain space between two of them: where elements part words, the source need not. */
function textOf(element: Element): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: string[] = [];
  while (walker.nextNode()) {
    texts.push(walker.currentNode.textContent ?? "");
  }
  return texts.join(" ").replaceAll(/\s+/g, " ").trim();
}

test("eight cards are eight tiles in slot order, each with its values and their units", async () => {
  await opened("?scene=calm&lang=en");
  const tiles = await screen.findAllByRole("article");
  expect(tiles.map((one) => one.dataset.seat)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  const first = textOf(tile(1));
  for (const words of ["66 °C", "97 %", "7.2 / 8.0 GiB", "108 W", "57 %", "Rented · Vast.ai"]) {
    expect(first).toContain(words);
  }
  expect(textOf(screen.getByRole("status"))).toBe("All cards answer");
});

test("before the first sweep each tile says that it waits, and shows no number", async () => {
  await opened("?scene=waiting&lang=en");
  const tiles = await screen.findAllByRole("article");
  expect(tiles).toHaveLength(8);
  for (const one of tiles) {
    expect(textOf(one)).toContain("Waiting for the first reading.");
    expect(textOf(one)).not.toMatch(/°C|W\b|%/);
  }
  // Nobody was asked yet: to say that none answers would be a complaint.
  expect(screen.queryByText(/cards answer/)).toBeNull();
});

test("a missing value is a dash that tells its reason", async () => {
  await opened("?scene=trouble&lang=en");
  await screen.findAllByRole("article");
  const second = tile(2);
  const power = within(second).getByText("Power").nextElementSibling;
  expect(power && textOf(power)).toBe("– missing: Not on this card");
  expect(within(second).getByTitle("The driver answered with error 999 UNKNOWN")).toBeTruthy();
});

test("a card in trouble says what happened and what to do, while others go on", async () => {
  await opened("?scene=trouble&lang=en");
  await screen.findAllByRole("article");
  expect(textOf(tile(4))).toContain("Card 4 fell off the bus.");
  expect(textOf(tile(4))).toContain("Check seat and power cable, then restart the rig.");
  expect(textOf(tile(3))).toContain("Last values, 15 s old");
  expect(textOf(tile(5))).toContain("82 °C hot");
});

test("stale values say how old they are", async () => {
  await opened("?scene=stale&lang=en");
  await screen.findAllByRole("article");
  expect(textOf(tile(1))).toContain("read 14 s ago");
  expect(tile(1).classList).toContain("stale");
  expect(screen.getByText("0 of 8 cards answer")).toBeTruthy();
});

test("a card's page says how old the figures are that are read once a minute", async () => {
  await opened("?scene=calm&lang=en", `#/card/${uuidOf(1)}`);
  expect(
    await screen.findByText("Names, limits and fan speeds are read once a minute, last 42 s ago"),
  ).toBeTruthy();
});

test("without a reading of the last half hour no axis stands where nothing is drawn", async () => {
  await opened("?scene=calm&lang=en&fail=recent:no_answer");
  await screen.findAllByRole("article");
  expect(screen.queryByText("last 30 min")).toBeNull();
});

test("where the driver is not read, eight remembered cards are missing and none can be forgotten", async () => {
  await opened("?scene=library_absent&lang=en");
  await screen.findAllByRole("article");
  expect(textOf(screen.getByRole("status"))).toContain("No NVIDIA driver library is installed");
  expect(textOf(tile(8))).toContain("First mend what the line at the top says.");
  expect(screen.queryByRole("button", { name: /Forget card/ })).toBeNull();
});

test("a rig without any card says why, and the demo is a button", async () => {
  const { backend } = await opened("?scene=no_cards&lang=en");
  const shown: string[] = [];
  backend.showProfile = (profile) => {
    shown.push(profile);
    return Promise.resolve();
  };
  await fireEvent.click(await screen.findByRole("button", { name: "Look at the demo rig" }));
  expect(shown).toEqual(["demo"]);
});

test("the demo says so on every view", async () => {
  await opened("?scene=demo&lang=en");
  const words = "Demo rig: every number here is simulated";
  expect(await screen.findByText(words)).toBeTruthy();
  for (const hash of ["#/settings", `#/card/${uuidOf(3)}`]) {
    location.hash = hash;
    await waitFor(() => {
      expect(screen.getByRole("heading", { level: 1 }).textContent).not.toBe("Rig");
    });
    expect(screen.getByText(words)).toBeTruthy();
  }
});

test("no banner stands over the owner's own rig", async () => {
  await opened("?scene=calm&lang=en");
  await screen.findAllByRole("article");
  expect(screen.queryByRole("note")).toBeNull();
});

test("a tile opens its card's page, and Esc leads back", async () => {
  await opened("?scene=trouble&lang=en");
  const link = within(await screen.findByRole("article", { name: "Card 2" })).getByRole("link");
  location.hash = link.getAttribute("href") ?? "";
  expect((await screen.findByRole("heading", { level: 1, name: "Card 2" })).textContent).toBe("Card 2");
  const power = await screen.findByRole("region", { name: "Power" });
  expect(textOf(power)).toContain("Board – Not on this card");
  expect(textOf(screen.getByRole("region", { name: "Processes" }))).toContain("41200");
  await fireEvent.keyDown(window, { key: "Escape" });
  await waitFor(() => {
    expect(location.hash).toBe("#/");
  });
});

test("a card that is no longer known is said in words", async () => {
  await opened("?scene=calm&lang=en", "#/card/GPU-gone");
  expect(await screen.findByText("This card is no longer known. Go back to the rig.")).toBeTruthy();
});

test("an idle card is marked as own job and unmarked", async () => {
  await opened("?scene=calm&lang=en");
  await fireEvent.click(await screen.findByRole("button", { name: "Mark card 4 as doing your own job" }));
  const unmark = await screen.findByRole(
    "button",
    { name: "Card 4 does not do your own job" },
    { timeout: 3000 },
  );
  expect(textOf(tile(4))).toContain("by your mark");
  await fireEvent.click(unmark);
  expect(
    await screen.findByRole("button", { name: "Mark card 4 as doing your own job" }, { timeout: 3000 }),
  ).toBeTruthy();
});

test("a rented card cannot be marked", async () => {
  await opened("?scene=calm&lang=en");
  await screen.findAllByRole("article");
  expect(within(tile(1)).queryByRole("button")).toBeNull();
});

test("a missing card is forgotten only after a question", async () => {
  await opened("?scene=trouble&lang=en");
  const ask = () => fireEvent.click(screen.getByRole("button", { name: "Forget card 7" }));
  await screen.findAllByRole("article");
  await ask();
  await fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(tile(7)).toBeTruthy();
  screen.getByRole<HTMLDialogElement>("dialog").close();
  await waitFor(() => {
    expect(screen.queryByRole("dialog")).toBeNull();
  });
  await ask();
  await fireEvent.click(screen.getByRole("button", { name: "Forget it" }));
  await waitFor(
    () => {
      expect(screen.queryByRole("article", { name: "Card 7" })).toBeNull();
    },
    { timeout: 3000 },
  );
});

test("a refused order is said in words, and can be put away", async () => {
  await opened("?scene=calm&lang=en&fail=markOwnJob:not_stored");
  await fireEvent.click(await screen.findByRole("button", { name: "Mark card 4 as doing your own job" }));
  const alert = await screen.findByRole("alert");
  expect(textOf(alert)).toContain("It could not be kept on disk, and is as it was.");
  await fireEvent.click(within(alert).getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("an engine that did not start is said in words, and no tile is made up", async () => {
  await opened("?lang=en&fail=subscribeRig:not_started");
  expect(textOf(await screen.findByRole("alert"))).toContain("The engine did not start");
  expect(screen.queryByRole("article")).toBeNull();
});

test("an engine that does not start for a silent holder says what to do, and why in its own words", async () => {
  await opened("?lang=en&fail=subscribeRig:holder_silent");
  const alert = await screen.findByRole("alert");
  expect(textOf(alert)).toContain("Let it go on with kill -CONT and its process id");
  // The detail that every recorded refusal carries; the engine's names the process.
  expect(textOf(alert)).toContain("reading.nvml_library");
});

test("data of another user are said to be that, with the way to one's own", async () => {
  await opened("?lang=en&fail=subscribeRig:other_user");
  const alert = await screen.findByRole("alert");
  expect(textOf(alert)).toContain("The data are another user's");
  expect(textOf(alert)).toContain("--data-dir");
});

test("everything that is wrong unfolds, with the words for a report", async () => {
  await opened("?scene=trouble&lang=en");
  await fireEvent.click(await screen.findByRole("button", { name: "Show all 9" }));
  const list = screen.getByRole("list", { name: "Everything that is wrong" });
  expect(within(list).getAllByRole("listitem")).toHaveLength(9);
  expect(textOf(list)).toContain("state.db: attempt to write a readonly database");
  expect(textOf(list)).toContain("Driver code 15 GPU_IS_LOST");
});

test("language and theme change at once, without a reload", async () => {
  await opened("?scene=calm&lang=en&theme=dark", "#/settings");
  expect(document.documentElement.dataset.theme).toBe("dark");
  await fireEvent.change(await screen.findByLabelText("Theme"), { target: { value: "light" } });
  await waitFor(() => {
    expect(document.documentElement.dataset.theme).toBe("light");
  });
  await fireEvent.change(screen.getByLabelText("Language"), { target: { value: "zh-cn" } });
  expect(await screen.findByRole("heading", { level: 1, name: "设置" })).toBeTruthy();
  expect(document.documentElement.lang).toBe("zh-CN");
  expect(textOf(screen.getAllByRole("status")[0] ?? document.body)).toBe("所有显卡均正常应答");
  speak("en");
});

test("a setting that is refused says so at its field, and keeps what was typed", async () => {
  await opened("?scene=calm&lang=en&fail=changeSettings:bad_setting", "#/settings");
  const box = await screen.findByLabelText<HTMLInputElement>("Library in place of the system's");
  await fireEvent.input(box, { target: { value: "/nowhere/libnvidia-ml.so.1" } });
  await fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(textOf(await screen.findByRole("alert"))).toBe("This value is not accepted. Choose another one.");
  expect(box.value).toBe("/nowhere/libnvidia-ml.so.1");
  expect(box.getAttribute("aria-invalid")).toBe("true");
  expect(box.getAttribute("aria-describedby")).toContain("refused");
});

test("the settings tell where the data is, who holds it and what was set aside", async () => {
  await opened("?scene=trouble&lang=en", "#/settings");
  const data = await screen.findByRole("region", { name: "Data" });
  await within(data).findByText("/srv/rig/.local/share/fanfare");
  expect(textOf(data)).toContain("this window, process 2718, version 0.1.0");
  expect(textOf(data)).toContain("state.db.damaged-20261130T031207Z");
  expect(textOf(screen.getByRole("region", { name: "Driver" }))).toContain("580.95.05");
});

test("what is typed in a terminal stands as code in a setting's help", async () => {
  await opened("?scene=calm&lang=en", "#/settings");
  const driver = await screen.findByRole("region", { name: "Driver" });
  expect(within(driver).getByText("fanfarectl serve").tagName).toBe("CODE");
});

test("settings that cannot be told are said in words, and asked for again", async () => {
  const { backend, store } = await opened("?scene=calm&lang=en&fail=settings:no_answer", "#/settings");
  expect(textOf(await screen.findByRole("alert"))).toContain("did not answer in time");
  expect(store.settings).toBeNull();
  const answering = recordedBackend("?lang=en");
  backend.settings = () => answering.settings();
  await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByLabelText("Language")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("how long the history is kept has its cost beside it, and is asked for with the button alone", async () => {
  const { store } = await opened("?scene=calm&lang=en", "#/settings");
  const box = await screen.findByLabelText<HTMLInputElement>("Every reading");
  // The recorded history has 2,050,000 bytes a day; eight days are 16.4 MB, 15.6 MiB.
  const help = document.getElementById((box.getAttribute("aria-describedby") ?? "").split(" ")[0] ?? "");
  await waitFor(() => {
    expect(textOf(help as HTMLElement)).toBe("Kept for 1 to 60 days. About 2 MiB a day, 16 MiB in all.");
  });
  await fireEvent.input(box, { target: { value: "30" } });
  expect(store.settings?.history.raw_days).toBe(8);
  await fireEvent.click(screen.getByRole("button", { name: "Save Every reading" }));
  await waitFor(() => {
    expect(store.settings?.history).toEqual({ raw_days: 30, minute_days: 400 });
  });
});

test("an empty box of the rig's own power is a guess that says so", async () => {
  const { store } = await opened("?scene=calm&lang=en", "#/settings");
  const box = await screen.findByLabelText<HTMLInputElement>("The rig without its cards");
  expect([box.value, box.placeholder]).toEqual(["", "100 (a guess)"]);
  await fireEvent.input(box, { target: { value: "85" } });
  await fireEvent.click(screen.getByRole("button", { name: "Save The rig without its cards" }));
  await waitFor(() => {
    expect(store.settings?.power.base_mw).toBe(85_000);
  });
  await fireEvent.input(box, { target: { value: "" } });
  await fireEvent.click(screen.getByRole("button", { name: "Save The rig without its cards" }));
  await waitFor(() => {
    expect(store.settings?.power.base_mw).toBeNull();
  });
});

test("a meter's reading is taken over with what the cards draw at that moment", async () => {
  const { store } = await opened("?scene=calm&lang=en", "#/settings");
  const box = await screen.findByLabelText<HTMLInputElement>("My meter shows now");
  await fireEvent.input(box, { target: { value: "1000" } });
  await fireEvent.click(screen.getByRole("button", { name: "Take over" }));
  await waitFor(() => {
    expect(store.settings?.power.meter?.wall_mw).toBe(1_000_000);
  });
  const tiles = SCENES.calm?.().tiles ?? [];
  const cards = tiles.reduce((sum, tile) => sum + (tile.values?.power_mw as number), 0);
  expect(store.settings?.power.meter?.cards_mw).toBe(cards);
  await fireEvent.click(await screen.findByRole("button", { name: "Forget it" }));
  await waitFor(() => {
    expect(store.settings?.power.meter).toBeNull();
  });
});

test("one quantity of all cards is shown side by side, each with what it comes to and a way to its card", async () => {
  await opened("?scene=calm&lang=en", "#/cards/temperature");
  const links = await screen.findAllByRole("link", { name: /^Card \d/ });
  expect(links).toHaveLength(8);
  await waitFor(() => {
    expect(textOf(links[0] as HTMLElement)).toMatch(/^Card 1 \d+ °C to \d+ °C$/);
  });
  expect(links[0]?.getAttribute("href")).toBe(`#/card/${uuidOf(1)}`);
  expect(links[0]?.querySelector("path.line")?.getAttribute("d")).toMatch(/^M0\.0 /);
});

test("a card without a sensor has nothing recorded", async () => {
  await opened("?scene=calm&lang=en", "#/cards/power");
  const [, second] = await screen.findAllByRole("link", { name: /^Card \d/ });
  await waitFor(() => {
    expect(textOf(second as HTMLElement)).toBe("Card 2 Nothing recorded");
  });
});

test("a history that cannot be read is said on the view of all cards, and asked for again", async () => {
  await opened("?scene=calm&lang=en&fail=course:not_readable", "#/cards/power");
  expect(textOf(await screen.findByRole("alert"))).toContain("The history cannot be read now.");
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});

test("each section has its defaults back by a button of its own", async () => {
  const { store } = await opened("?scene=calm&lang=en", "#/settings");
  await fireEvent.change(await screen.findByLabelText("Currency"), { target: { value: "CNY" } });
  await waitFor(() => {
    expect(store.settings?.money.currency).toBe("CNY");
  });
  await fireEvent.click(screen.getByRole("button", { name: "Reset Money" }));
  await waitFor(() => {
    expect(store.settings?.money.currency).toBe("USD");
  });
  expect(store.settings?.appearance.language).toBe("en");
});

test("the strips show what will stand there as dashes, and no made-up figure", async () => {
  await opened("?scene=calm&lang=en");
  const money = await screen.findByRole("region", { name: "Net today" });
  expect(textOf(money)).toContain("net – missing: Not known yet");
  expect(textOf(money)).not.toMatch(/[$¥€]/);
  expect(within(money).getByRole("link").getAttribute("href")).toBe("#/settings");
});

test("with 64 cards each tile still has its name, temperature, load, power and state", async () => {
  await opened("?scene=sixty_four&lang=en");
  expect(await screen.findAllByRole("article")).toHaveLength(64);
  expect(textOf(tile(33))).toBe("Card 33 Rented Temperature 66 °C normal Load 97 % Power 108 W");
  expect(textOf(tile(10))).toContain("Card 10 fell off the bus.");
});
