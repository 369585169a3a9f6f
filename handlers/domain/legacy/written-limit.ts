import { LegacyError } from './legacy-error.ts'
import type { LegacyHost } from './types.ts'

/** What is said once for all sites is written into each of them. */
const MAX_WRITTEN = 64 * 2 ** 20

/** Counts what becomes of hosts. Throws `LegacyError` where it is more than anybody could use. */
export const createWrittenLimit = (): ((hosts: readonly LegacyHost[]) => void) => {
  let written = 0
  return (hosts) => {
    for (const { at, site } of hosts) {
      for (const line of site.rules) written += line.length
      for (const { pattern, target, flags, conditions } of site.rewrites) {
        written += pattern.length + target.length + flags.length
        for (const condition of conditions) written += condition.length
      }
      if (written > MAX_WRITTEN)
        throw new LegacyError(
          at,
          'what the sites up to this one become is larger than 64 MiB, since what is said for all of them is part of each. Convert the sites one by one.',
        )
    }
  }
}
