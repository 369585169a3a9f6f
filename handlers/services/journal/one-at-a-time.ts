import type { ServiceDeps } from '../service-deps.ts'
import { createLeases } from './leases.ts'

/**
 * Lets one order about a subject be under way at a time, in all instances of the panel; who comes
 * meanwhile is refused at once. It saves work, and nothing depends on it: what changes something
 * has its turn (`Journal.exclusively`) beside.
 */
export const createOneAtATime = (
  deps: Pick<ServiceDeps, 'store' | 'log' | 'instance'>,
): (<T>(subject: string, refusal: () => Error, work: () => Promise<T>) => Promise<T>) => {
  const leases = createLeases(deps)
  // An instance's own lease never stands in its way.
  const busy = new Set<string>()
  return async (subject, refusal, work) => {
    if (busy.has(subject)) throw refusal()
    busy.add(subject)
    try {
      const release = await leases.tryTake(subject)
      if (release === null) throw refusal()
      try {
        return await work()
      } finally {
        await release()
      }
    } finally {
      busy.delete(subject)
    }
  }
}
