import { unavailable } from '../../errors.ts'

/** Resolves as `work`, or rejects after `ms`, while it goes on. 503 */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The machine did not answer in time.')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

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
