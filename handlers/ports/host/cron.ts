/**
 * What a run starts: a program with its arguments, the owner's own line as one argument of
 * `sh -c`, or for an application git, which fetches a repository into a new release of it.
 */
export type CronProgram =
  | { kind: 'command'; argv: readonly string[] }
  | { kind: 'shell'; line: string }
  /** `url` as `parseGitUrl` takes it, null: the application's own repository; `ref`: a branch or tag, null the repository's own; `release`: a new name as `RELEASE_NAME` has it. */
  | { kind: 'source'; url: string | null; ref: string | null; release: string }

/** One run of a program as an account. */
export interface CronRunOrder {
  runId: string
  username: string
  program: CronProgram
  /** Whose `php` comes first in PATH; where it is null or not installed that of the host's default version. */
  phpVersion: string | null
  /** IANA name, of `TZ`. */
  timeZone: string
  /** After that it is ended. */
  timeLimitSecs: number
  /** Name of an application of the account: it runs in its folder, with its variables, secret ones too, and its runtime first in PATH. Default: in the home, with none. */
  application?: string
  /** One of its releases: it runs there. Default: in the application's folder. */
  release?: string
}

/** How a run is. */
export interface CronRunState {
  /** `unknown` after a restart of the host: what it ran then has ended. */
  state: 'running' | 'ended' | 'unknown'
  /** Exit code; null while it runs, and where a signal ended it. */
  code: number | null
  /** Why it ended before it was done. */
  ended: 'timeout' | 'stopped' | 'signal' | null
  /** What it wrote to standard output and error, at most 64 kB: its beginning and its end. */
  output: string
}

/** Programs of accounts that run without anybody asking, with the account's uid and limits. */
export interface CronPort {
  /** Begins a run; of one that was begun before nothing happens. 400 no program, 404 unknown account, 409 suspended, 503 too many run. */
  start(order: CronRunOrder): Promise<void>
  /** Answers when the run has ended, or after some seconds (`patienceMs`, 10 at most) with how it is. */
  wait(input: { runId: string; patienceMs?: number }): Promise<CronRunState>
  /** Ends a run with all that it started; what does not run is no error. */
  stop(input: { runId: string }): Promise<void>
}
