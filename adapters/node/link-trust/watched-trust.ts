import type { Log } from '#handlers/ports/log.ts'
import type { HeldTrust } from './trust-file.ts'
import { readTrust, stampOf } from './trust-file.ts'

/** The trust list as the file says it now. */
export interface WatchedTrust {
  /** Null: nobody is trusted, for there is no list, it is empty, or it cannot be read. */
  now(): HeldTrust | null
}

/**
 * Looks at the file whenever it is asked, so that who was removed is removed at the next call. A file
 * that cannot be read counts as none, and is told once.
 */
export const watchTrust = (directory: string, log: Log): WatchedTrust => {
  let stamp: string | null = null
  let held: HeldTrust | null = null
  return {
    now() {
      let seen = ''
      try {
        seen = stampOf(directory)
        if (seen === stamp) return held
        held = readTrust(directory)
      } catch (error) {
        held = null
        if (seen !== stamp)
          log.error('the list of trusted panels cannot be used; nobody is trusted', {
            error: String(error),
          })
      }
      stamp = seen
      if (held?.list.panels.length === 0) held = null
      return held
    },
  }
}
