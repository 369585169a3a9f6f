import { setTimeout } from 'node:timers/promises'
import { isSameProcessAlive, type ProcessIdentity } from '../process/process-identity.ts'
import { isReady } from './ready-file.ts'
import { ServiceError } from './service-error.ts'

const FIRST_POLL_MS = 50
/** A start that takes its time is looked at less often: who looks takes from what starts on a slow machine. */
const POLL_PART = 0.05
const MOST_POLL_MS = 500

/** Where a supervisor says that it serves, where its children say why they do not, and how long it may take. */
export interface ReadyPlaces {
  runDir: string
  logDir: string
  limitSecs: number
}

/** Resolves true when it serves, false when it ended; rejects after `limitSecs`. */
export const awaitReady = async (
  { runDir, logDir, limitSecs }: ReadyPlaces,
  supervisor: ProcessIdentity,
): Promise<boolean> => {
  const begunMs = performance.now()
  while (!isReady(runDir, supervisor)) {
    if (!isSameProcessAlive(supervisor)) return false
    const waitedMs = performance.now() - begunMs
    if (waitedMs > limitSecs * 1000)
      throw new ServiceError(`Berth did not get ready in ${limitSecs} s. Look into ${logDir}.`)
    await setTimeout(Math.min(MOST_POLL_MS, Math.max(FIRST_POLL_MS, waitedMs * POLL_PART)))
  }
  return true
}
