import { setTimeout as delay } from 'node:timers/promises'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'

/** Sends `signal` to the process, or to its whole process group; false when it is gone. */
export const signalProcess = (
  known: ProcessIdentity,
  signal: NodeJS.Signals,
  target: 'process' | 'group' = 'process',
): boolean => {
  if (!isSameProcessAlive(known)) return false
  try {
    process.kill(target === 'group' ? -known.pid : known.pid, signal)
    return true
  } catch {
    return false
  }
}

/**
 * Ends a process that need not be our child (an adopted one is not, so there is
 * no exit event to wait for): `signal`, then SIGKILL to its group after `graceMs`.
 */
export const endProcess = async (
  known: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> => {
  signalProcess(known, signal)
  const deadline = performance.now() + graceMs
  for (let waitMs = 5; isSameProcessAlive(known); waitMs = Math.min(waitMs * 2, 50)) {
    if (performance.now() > deadline) {
      signalProcess(known, 'SIGKILL', 'group')
      signalProcess(known, 'SIGKILL')
    }
    await delay(waitMs)
  }
}
