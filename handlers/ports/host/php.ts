import type { PhpMode } from '../store/records.ts'

/** An installed PHP. */
export interface PhpVersion {
  /** Major.minor, e.g. `8.2`. */
  version: string
  /** Path of the command-line binary. */
  binary: string
  sapis: PhpMode[]
  default: boolean
}

/** A running PHP of an account: a master, which its virtual hosts with equal settings share. */
export interface PhpPoolState {
  username: string
  version: string
  mode: PhpMode
  /** Whether it runs with settings of a virtual host or a directory instead of the server's. */
  ownSettings: boolean
  pid: number
  /** Since a request asked for it last. */
  idleSecs: number
  /** Whether a process behind its socket answered within two seconds. */
  answers: boolean
}

/** What became of a script that was run to see whether PHP works. */
export interface PhpTest {
  version: string
  mode: PhpMode
  /** Milliseconds until the master answered; null: it did not start. */
  startMs: number | null
  /** Of the first request, and of the same once more; null: it failed. */
  firstMs: number | null
  againMs: number | null
  /** `PHP_VERSION` and `PHP_SAPI` as the script saw them. */
  phpVersion: string | null
  sapi: string | null
  /** Number of the user it ran as. */
  uid: number | null
  /** Why it failed; null: all is well. */
  error: string | null
}

/** What a PHP of the host is and begins with, where no account and no site chose anything. */
export interface PhpFacts {
  /** Whole, e.g. `8.2.29`. */
  version: string
  /** Values of the settings of `SITE_PHP_RULES` that it knows. */
  ini: Record<string, string>
  /** Names of those of them that the server sets, whatever php.ini says. */
  server: readonly string[]
  /** By name; version null where it names none. */
  extensions: { name: string; version: string | null }[]
  /** Largest body of a request that the web server takes for any site; 0: no limit. */
  maxBodyBytes: number
}

/** PHP versions on the host and what each account runs. */
export interface PhpPort {
  /** The newest first, looked for anew at every call; empty when there are none. */
  versions(): Promise<PhpVersion[]>
  /** What runs now, by account. */
  pools(): Promise<PhpPoolState[]>
  /**
   * Starts a master of its own, runs a script of ours twice and takes everything
   * away again. `username` null runs it as a user who owns nothing; with one it
   * has the account's uid, but nothing in its home is touched. 400 unknown version
   * or mode, 404 unknown account, 409 suspended, or another test is under way.
   */
  test(input: { username: string | null; version: string; mode: PhpMode }): Promise<PhpTest>
  /** What a PHP says of itself; at most a minute old. 400 unknown version or mode, 503 it does not start. */
  facts(input: { version: string; mode: PhpMode }): Promise<PhpFacts>
  /** Records version and mode of an account and restarts its master if one runs. 400 unknown version or mode. */
  configure(input: {
    operationId: string
    username: string
    version: string
    mode: PhpMode
  }): Promise<void>
}
