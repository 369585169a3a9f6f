/** What attempts are counted under, and how many of them the window lets through. */
export interface AttemptLimit {
  key: string
  most: number
}

/** What the store answers to an attempt that is about to begin. */
export type AttemptVerdict =
  /** `busy`: what fills a key is being checked still, and may turn out to be no failure. */
  { state: 'begun' | 'busy' } | { state: 'full'; oldestSecs: number }

/** Attempts to prove who somebody is: noted before the check, taken back when they were right. */
export interface LoginAttemptStore {
  /**
   * Notes the attempt under all its keys, or under none where one of them has as many within the
   * window as it lets through; decided in one step, so several instances never let one more
   * through. `full`: failures alone fill a key, the first of which was at `oldestSecs`.
   */
  beginLoginAttempt(attempt: {
    id: string
    limits: readonly AttemptLimit[]
    atSecs: number
    windowSecs: number
    /** For how long it counts as being checked; after that as a failure, until it is taken back. */
    openSecs: number
  }): Promise<AttemptVerdict>
  /** The attempt was a wrong guess. */
  failLoginAttempt(id: string): Promise<void>
  /**
   * Takes the attempt back, which was right or none. Earlier failures under `forgetKey` are
   * forgotten, but nothing that is being checked.
   */
  endLoginAttempt(id: string, forgetKey: string | null): Promise<void>
}
