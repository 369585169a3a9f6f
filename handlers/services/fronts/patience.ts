import { unavailable } from '../../errors.ts'
import { within } from '../within.ts'

/**
 * Waits for each machine so long and no longer, so that none keeps the others from what is theirs. What a
 * machine has begun goes on; until it has ended that machine is asked for nothing more. 503
 */
export const createPatience = (
  ms: number,
): (<T>(machineId: number, work: () => Promise<T>) => Promise<T>) => {
  const busy = new Set<number>()
  return async (machineId, work) => {
    if (busy.has(machineId)) throw unavailable('The machine is still at what came before.')
    busy.add(machineId)
    return within(
      ms,
      work().finally(() => busy.delete(machineId)),
    )
  }
}
