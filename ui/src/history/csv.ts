/** A course as comma-separated values: a row for each time and quantity; where nothing was read its numbers are empty. */
import type { Quantity } from "../backend/types/Quantity";
import type { Course } from "./block";

/** What a file says of its own. */
export interface Sheet {
  course: Course;
  /** The seats of the course's cards, in its order. */
  seats: readonly number[];
  quantities: readonly Quantity[];
  isSimulated: boolean;
}

/** Units as the history keeps them. The compiler asks for one as soon as a quantity is added. */
const UNITS: Record<Quantity, string> = {
  temperature: "°C",
  power: "mW",
  power_limit: "mW",
  energy: "mJ",
  utilisation: "%",
  memory_utilisation: "%",
  memory_used: "B",
  graphics_clock: "MHz",
  memory_clock: "MHz",
  fan_asked: "%",
  fan_reported: "%",
  fan_speed: "rpm",
  throttle: "bits",
  performance_state: "",
  link_generation: "",
  link_width: "",
  pcie_replays: "",
  tenancy: "bits",
};

const HEAD = "time_utc,card,quantity,unit,min,mean,max,simulated";
/** Quantities of bits have no mean. */
const BITS: ReadonlySet<Quantity> = new Set<Quantity>(["throttle", "tenancy"]);

/** The file's text. */
export function csvOf({ course, seats, quantities, isSimulated }: Sheet): string {
  const rows = [HEAD];
  const simulated = isSimulated ? "yes" : "no";
  for (const [at, seconds] of course.times.entries()) {
    const time = new Date(seconds * 1000).toISOString();
    for (const [index, curve] of course.curves.entries()) {
      const seat = seats[Math.floor(index / quantities.length)];
      const quantity = quantities[index % quantities.length];
      if (seat !== undefined && quantity !== undefined) {
        const mean = BITS.has(quantity) ? "" : Number((curve.mean[at] ?? 0).toFixed(3));
        const numbers = curve.there[at] === 1 ? `${curve.min[at]},${mean},${curve.max[at]}` : ",,";
        rows.push(`${time},${seat},${quantity},${UNITS[quantity]},${numbers},${simulated}`);
      }
    }
  }
  return `${rows.join("\n")}\n`;
}

/** A file's name without its ending: of letters, digits and `-`. The moment is in UTC, to the second. */
export function stemOf(what: string, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `fanfare-${what}-${stamp}Z`;
}
