/** The owner's settings, as the engine last told them. The look of the page follows them at once. */
import { type Backend, BackendError } from "../backend/backend";
import type { Section } from "../backend/types/Section";
import type { Settings } from "../backend/types/Settings";
import type { SettingsPatch } from "../backend/types/SettingsPatch";

export class SettingsStore {
  /** None before they were told. */
  settings = $state.raw<Settings | null>(null);
  /** Why they could not be told. */
  failure = $state.raw<BackendError | null>(null);
  /** What was refused, by the section it was about. A section's next success takes its refusal back. */
  refused = $state.raw<Readonly<Partial<Record<Section, BackendError | undefined>>>>({});
  /** The section that was kept last, for a word that it was. */
  kept = $state.raw<Section | null>(null);

  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** The section of a setting's name. */
  sectionOf(name: `${Section}.${string}`): Section {
    return name.split(".", 1)[0] as Section;
  }

  async load(): Promise<void> {
    try {
      this.settings = await this.#backend.settings();
      this.failure = null;
    } catch (cause) {
      this.failure = BackendError.of(cause);
    }
  }

  /** Changes one section, whole. */
  change<S extends Section>(section: S, value: Settings[S]): Promise<void> {
    const patch: SettingsPatch = { [section]: value };
    return this.#keep(section, () => this.#backend.changeSettings(patch));
  }

  reset(section: Section): Promise<void> {
    return this.#keep(section, () => this.#backend.resetSettings(section));
  }

  async #keep(section: Section, ask: () => Promise<Settings>): Promise<void> {
    try {
      this.settings = await ask();
      this.refused = { ...this.refused, [section]: undefined };
      this.kept = section;
    } catch (cause) {
      this.refused = { ...this.refused, [section]: BackendError.of(cause) };
      this.kept = null;
    }
  }
}
