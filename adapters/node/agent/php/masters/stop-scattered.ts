import type { ProcessIdentity } from '../../../process/process-identity.ts'
import { endProcess, signalProcess } from '../../host/end-process.ts'
import { findProcesses } from '../../host/process-facts.ts'

/**
 * Ends a master whose children are in sessions of their own, where its group
 * does not reach them. It is halted first, so that it starts no more while they
 * are listed. Without it they end by themselves, a second after their request;
 * after `graceMs` they are killed, at once when that is zero.
 */
export const stopScattered = async (
  master: ProcessIdentity & { uid: number },
  graceMs: number,
): Promise<void> => {
  signalProcess(master, 'SIGSTOP')
  const children = findProcesses(({ parent, uid }) => parent === master.pid && uid === master.uid)
  signalProcess(master, 'SIGKILL')
  await Promise.all([
    endProcess(master, 'SIGKILL', graceMs),
    ...children.map((child) => {
      if (graceMs > 0) return endProcess(child, 'SIGCONT', graceMs)
      signalProcess(child, 'SIGKILL', 'group')
      return endProcess(child, 'SIGKILL', 0)
    }),
  ])
}
