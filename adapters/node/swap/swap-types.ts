import type { ProcessIdentity } from '../process/process-identity.ts'

/** A socket that a server listens on. */
export interface Listening {
  /** `0.0.0.0`, `::`, or one address. */
  address: string
  port: number
}

/** Another web server as it runs, with all that is needed to end it and to start it again just so. */
export interface OldServer {
  kind: 'apache' | 'nginx'
  /** Its program, absolute. */
  program: string
  /** The master process. */
  process: ProcessIdentity
  /** Words after the program that start it in the background. */
  startArgs: string[]
  /** Words before `-k stop`, `-s quit` and `-t`: which configuration is meant. */
  configArgs: string[]
  /** Variables that its configuration uses. */
  env: Record<string, string>
  /** Main file, absolute. */
  configFile: string
  /** Where relative paths of the configuration begin. */
  base: string
  listening: Listening[]
  /** systemd's unit that it belongs to; null: nobody's. */
  unit: string | null
  /** Does not go into the background, so whoever started it watches it. */
  foreground: boolean
}

/** What one address of a site answered. */
export interface ProbeResult {
  /** Null: no response. */
  status: number | null
  location: string | null
  title: string | null
  /** SHA-256 of the body. */
  hash: string | null
  /** Why there was no response. */
  error: string | null
}

/** One address of a site, asked on this machine. */
export interface ProbeTarget {
  host: string
  /** Where it is connected to. */
  address: string
  port: number
  secure: boolean
  path: string
}

export interface Probe {
  target: ProbeTarget
  result: ProbeResult
  /** Asked twice, it did not answer the same twice: a clock, a token. */
  changing: boolean
}

/** Steps of a swap, in their order; each is written down before it begins. */
export const PHASES = [
  'configuring',
  'starting',
  'stopping',
  'probing',
  'swapped',
  'reverting',
  'reverted',
] as const
export type Phase = (typeof PHASES)[number]

/** What was done, and what it was like before; enough to go back from any point. */
export interface SwapState {
  version: 1
  phase: Phase
  started_at: string
  old: OldServer
  /** The old server was told to end, or is about to be. */
  old_touched: boolean
  /** Whether the old server's unit started with the machine; null: it has none. */
  old_enabled: boolean | null
  /** Ours ran, or started with the machine, before. */
  ours_running: boolean
  ours_enabled: boolean
  config_file: string
  /** SHA-256 of the configuration that was written. */
  config_hash: string
  before: Probe[]
  loose: boolean
  /** Why it went back by itself. */
  reason: string | null
}
