/** The temperatures of the last half hour. */
export interface Recent {
  /** Time between two values, in milliseconds. */
  step_ms: number;
  /** One for each card that has answered. */
  cards: RecentCard[];
}

export interface RecentCard {
  uuid: string;
  /** The highest of each step in degrees Celsius, the oldest first; `null` where nothing was read. */
  temperatures_c: (number | null)[];
}
