import { join } from 'node:path'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { takeLock } from '../../process/take-lock.ts'

/** One export or import of an installation at a time. Answers how to give that back. */
export const takeRecoveryLock = (stateDir: string): (() => void) =>
  takeLock(
    join(stateDir, 'recovery.pid'),
    (pid) =>
      new ExportError(
        `Another export or import is under way (process ${pid}). Wait until it ends.`,
      ),
  )
