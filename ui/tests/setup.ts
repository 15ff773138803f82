/** What jsdom lacks of a browser, as far as the page's components ask for it. */
import { cleanup } from "@testing-library/svelte";
import { afterEach, beforeEach } from "vitest";
import { speak } from "../src/i18n/locale.svelte";

class NoResizes implements ResizeObserver {
  observe(): void {
    // jsdom lays nothing out, so no size ever changes.
  }
  unobserve(): void {
    // As above.
  }
  disconnect(): void {
    // As above.
  }
}

globalThis.ResizeObserver = NoResizes;
HTMLDialogElement.prototype.showModal = function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close(this: HTMLDialogElement) {
  this.open = false;
  this.dispatchEvent(new Event("close"));
};

beforeEach(() => {
  speak("en");
  location.hash = "";
});

afterEach(cleanup);
