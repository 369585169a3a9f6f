/** Work that outlives a request, e.g. settling open operations after a start. */
export interface Background {
  /** Runs `work` after the response; failures are logged. */
  run(name: string, work: () => Promise<void>): void
}
