import type { PhpMode } from './records.ts'

/** An installed PHP. */
export interface PhpVersion {
  /** Major.minor, e.g. `8.2`. */
  version: string
  /** Path of the command-line binary. */
  binary: string
  sapis: PhpMode[]
  default: boolean
}

/** PHP versions on the host and what each account runs. */
export interface PhpPort {
  versions(): Promise<PhpVersion[]>
  /** Records version and mode of an account and restarts its master if one runs. 400 unknown version or mode. */
  configure(input: {
    operationId: string
    username: string
    version: string
    mode: PhpMode
  }): Promise<void>
}
