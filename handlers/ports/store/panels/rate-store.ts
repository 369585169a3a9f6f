/** What is counted, and how often it may be. */
export interface RateOrder {
  key: string
  most: number
  windowSecs: number
  /** Now, in seconds since 1970. */
  atSecs: number
}

/** Part of the store: what may happen so often within a while, over all instances of the panel. */
export interface RateStore {
  /**
   * Counts once more, unless `most` were counted within the window: then nothing is, and the answer
   * is when the oldest of them was.
   */
  countRate(order: RateOrder): Promise<{ oldestSecs: number } | null>
}
