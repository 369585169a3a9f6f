import type { Seen } from '#handlers/ports/host/machine.ts'

/** No answer of the machine waits longer for one of its parts. */
export const PATIENCE_MS = 1500

/** What cannot be looked at here, with a reason for people. */
export class NotSeen extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotSeen'
  }
}

/**
 * Looks, and answers why where that is impossible: nothing that one part of the
 * machine does may keep the others from being looked at.
 */
export const look = async <T>(
  read: () => T | Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<Seen<T>> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new NotSeen(`no answer within ${patienceMs / 1000} s`)),
      patienceMs,
    )
  })
  try {
    return { seen: true, value: await Promise.race([read(), late]) }
  } catch (error) {
    return { seen: false, reason: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}
