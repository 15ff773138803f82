/**
 * Two moments for whoever measures the page: data are there, and their first chart is drawn. The page keeps the newest of each, so
 * that a window that is open for weeks gathers none.
 */
const DATA = "card-data";
const CHART = "card-chart";

/** Data have come. */
export function markData(): void {
  performance.clearMarks(DATA);
  performance.clearMarks(CHART);
  performance.mark(DATA);
}

/** A chart is drawn; only the first one of the newest data counts. */
export function markChart(): void {
  if (performance.getEntriesByName(CHART).length === 0) {
    performance.mark(CHART);
  }
}
