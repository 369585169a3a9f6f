/** A database server as its engine sees it. */
export interface DatabaseServer {
  isRunning(): Promise<boolean>
  /** Begins to start it; no effect when it runs, is starting, or is not ours. */
  start(): void
  /** Resolves once it answers; 503 after `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<void>
  stop(): Promise<void>
}
