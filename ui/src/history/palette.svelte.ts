/**
 * The theme's colours for a canvas, which knows no variables: read from the page once, and again when the theme changes.
 */
const TOKENS = {
  accent: "--accent",
  second: "--heat-2",
  faint: "--control-line",
  text: "--text",
  dim: "--dim",
  line: "--line-soft",
  panel: "--panel",
  warn: "--warn",
} as const;
export type Palette = Readonly<Record<keyof typeof TOKENS, string>>;

/** The colours in force. The probe is an element of the page that is not seen. */
function read(probe: HTMLElement): Palette {
  const colour = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  return Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, colour(token)])) as Palette;
}

/** The theme's colours, for as long as the probe is in the page. */
export class Colours {
  now = $state.raw<Palette | null>(null);

  /** Reads now and at each change of the theme; an attachment of the probe. */
  readonly follow = (probe: HTMLElement): (() => void) => {
    const again = () => {
      this.now = read(probe);
    };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const themes = new MutationObserver(again);
    dark.addEventListener("change", again);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    again();
    return () => {
      dark.removeEventListener("change", again);
      themes.disconnect();
    };
  };
}
