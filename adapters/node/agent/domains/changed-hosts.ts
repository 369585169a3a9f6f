import { randomUUID } from 'node:crypto'
import { conflict } from '#handlers/errors.ts'

/** Which virtual hosts were changed after which edition of the generated set. */
export interface ChangedHosts {
  edition(): string
  /** Makes another edition, in which these were changed. */
  note(domains: Iterable<string>): void
  /** Tells of a host whether it was changed after `edition`; throws 409 when that is not known any more. */
  since(edition: string): (domain: string) => boolean
}

/** Held in memory: an edition of an earlier process is one that is not known any more. */
export const createChangedHosts = (maxHosts = 100_000): ChangedHosts => {
  const run = randomUUID()
  /** By domain, the edition that changed it last; the oldest first. */
  const changed = new Map<string, number>()
  let count = 0
  let forgotten = 0
  return {
    edition: () => `${run}.${count}`,
    note(domains) {
      count += 1
      for (const domain of domains) {
        changed.delete(domain)
        changed.set(domain, count)
      }
      for (const [domain, edition] of changed) {
        if (changed.size <= maxHosts) break
        changed.delete(domain)
        forgotten = edition
      }
    },
    since(edition) {
      const [of, number] = edition.split('.')
      const at = Number(number)
      if (of !== run || !Number.isInteger(at) || at < forgotten)
        throw conflict('The virtual hosts were changed by others meanwhile. Try again.')
      return (domain) => (changed.get(domain) ?? 0) > at
    },
  }
}
