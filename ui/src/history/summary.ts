/** What a course comes to in numbers, for the sentences that stand in place of its charts. */
import type { Line } from "./columns";

/** Least, greatest and mean of a line; the mean counts each point alike. `gaps`: stretches without value inside it. */
export interface Summary {
  least: number;
  greatest: number;
  mean: number;
  gaps: number;
}

/** The summary of a line; none for a line without any value. */
export function summaryOf({ min, max, mean }: Line): Summary | null {
  let [least, greatest, sum, count, gaps] = [Infinity, -Infinity, 0, 0, 0];
  let isGap = false;
  for (const [at, value] of mean.entries()) {
    if (value === null) {
      // Before the first value there is no gap but nothing yet.
      isGap = count > 0;
      continue;
    }
    gaps += isGap ? 1 : 0;
    isGap = false;
    sum += value;
    count += 1;
    least = Math.min(least, min[at] ?? value);
    greatest = Math.max(greatest, max[at] ?? value);
  }
  return count === 0 ? null : { least, greatest, mean: sum / count, gaps };
}
