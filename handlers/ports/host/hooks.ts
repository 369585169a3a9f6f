/** Programs that the machine's administrator laid under `hooks.d/<event>/`. */
export interface HooksPort {
  /**
   * Runs the programs of an event, one after the other, with `message` on their
   * standard input. A program that fails is in the log of the hooks and in the
   * answer; it never makes the call fail.
   */
  run(input: { event: string; message: string }): Promise<HookOutcome>
}

/** What became of the programs of one event. */
export interface HookOutcome {
  /** Programs that were run. */
  ran: number
  /** Names of those that failed or were refused. */
  failed: string[]
}
