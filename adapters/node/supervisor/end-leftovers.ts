import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { isSameProcessAlive, readIdentityFile } from '../process/process-identity.ts'

/** Time that children of a killed supervisor get to end by themselves; the agent first stops what it runs. */
const GRACE_MS = 15_000
const POLL_MS = 20

/**
 * Waits until the children of an earlier, killed supervisor are gone; what does
 * not end by itself is killed. They are not ours, so there is no event to wait
 * for. The caller holds the run directory's lock. Answers whether there were any.
 */
export const endLeftovers = async (pidFiles: readonly string[]): Promise<boolean> => {
  const left = pidFiles
    .map(readIdentityFile)
    .filter((identity) => identity !== null)
    .filter(isSameProcessAlive)
  const started = performance.now()
  const alive = (): typeof left => left.filter(isSameProcessAlive)
  while (alive().length > 0) {
    if (performance.now() - started > GRACE_MS)
      for (const { pid } of alive()) process.kill(pid, 'SIGKILL')
    await setTimeout(POLL_MS)
  }
  for (const file of pidFiles) rmSync(file, { force: true })
  return left.length > 0
}
