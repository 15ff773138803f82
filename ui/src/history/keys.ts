/** What keys do where the charts have the focus. */

/** What a key asks for. `cursor`: move it by so many points. */
export type Step =
  | { do: "pan"; direction: -1 | 1 }
  | { do: "zoom"; direction: "in" | "out" }
  | { do: "cursor"; points: number }
  | { do: "widest" }
  | { do: "now" }
  | { do: "back" };

/** The step that a key stands for; none for keys that are not the charts'. */
export function stepOf({ key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): Step | null {
  if (ctrlKey || altKey || metaKey) {
    return null;
  }
  switch (key) {
    case "ArrowLeft":
      return shiftKey ? { do: "cursor", points: -1 } : { do: "pan", direction: -1 };
    case "ArrowRight":
      return shiftKey ? { do: "cursor", points: 1 } : { do: "pan", direction: 1 };
    case "PageUp":
      return shiftKey ? { do: "cursor", points: -20 } : null;
    case "PageDown":
      return shiftKey ? { do: "cursor", points: 20 } : null;
    case "+":
    case "=":
      return { do: "zoom", direction: "in" };
    case "-":
    case "_":
      return { do: "zoom", direction: "out" };
    case "Home":
      return { do: "widest" };
    case "End":
      return { do: "now" };
    case "Backspace":
      return { do: "back" };
    default:
      return null;
  }
}
