/** Names of the quantities that the history keeps, and their values in words. The compiler asks for both as soon as one is added. */
import type { Quantity } from "../backend/types/Quantity";
import { m } from "../paraglide/messages";
import { celsius, decimal, gib, percent, watts, withUnit } from "./format";

interface Words {
  name: () => string;
  text: (value: number) => string;
}

const plain = (value: number): string => decimal(value);
const megahertz = (value: number): string => withUnit(value, "MHz");

const WORDS: Record<Quantity, Words> = {
  temperature: { name: m.quantity_temperature, text: celsius },
  power: { name: m.quantity_power, text: watts },
  power_limit: { name: m.quantity_power_limit, text: watts },
  energy: { name: m.quantity_energy, text: (value) => withUnit(value / 3.6e9, "kWh", 2) },
  utilisation: { name: m.row_utilisation, text: percent },
  memory_utilisation: { name: m.row_memory_activity, text: percent },
  memory_used: { name: m.quantity_memory_used, text: gib },
  graphics_clock: { name: m.row_clock_graphics, text: megahertz },
  memory_clock: { name: m.row_clock_memory, text: megahertz },
  fan_asked: { name: m.quantity_fan_asked, text: percent },
  fan_reported: { name: m.quantity_fan_reported, text: percent },
  fan_speed: { name: m.quantity_fan_speed, text: (value) => withUnit(value, "rpm") },
  throttle: { name: m.quantity_throttle, text: plain },
  performance_state: { name: m.row_pstate, text: (value) => `P${decimal(value)}` },
  link_generation: { name: m.row_link_generation, text: plain },
  link_width: { name: m.row_link_width, text: (value) => `x${decimal(value)}` },
  pcie_replays: { name: m.row_pcie_replays, text: plain },
  tenancy: { name: m.quantity_tenancy, text: plain },
};

export const quantityName = (quantity: Quantity): string => WORDS[quantity].name();
/** A value in the quantity's own unit, as the history has it. */
export const quantityText = (quantity: Quantity, value: number): string => WORDS[quantity].text(value);
