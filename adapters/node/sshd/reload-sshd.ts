import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '#handlers/ports/log.ts'

/** The process of that file, if it is an sshd. */
export const sshdProcess = (pidFile: string | undefined): number | null => {
  if (pidFile === undefined || pidFile === 'none' || !existsSync(pidFile)) return null
  const pid = Number(readFileSync(pidFile, 'utf8').trim())
  if (!Number.isInteger(pid) || pid <= 1) return null
  try {
    const program = basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''))
    return program === 'sshd' ? pid : null
  } catch {
    return null
  }
}

/** It opens its ports anew, and reads some files. */
const LIMIT_MS = 10_000
const LOOK_EVERY_MS = 20

/**
 * Lets the machine's sshd read its configuration again, as its service's reload does;
 * who is logged in stays so. Answers when it has: what changes the configuration
 * sooner might be read instead. Where none runs, the next one reads it.
 */
export const reloadSshd = async (pidFile: string | undefined, log: Log): Promise<void> => {
  const pid = sshdProcess(pidFile)
  if (pid === null || pidFile === undefined) return
  // It writes this file when it listens again.
  const writtenMs = (): number => statSync(pidFile, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const beforeMs = writtenMs()
  const deadlineMs = performance.now() + LIMIT_MS
  process.kill(pid, 'SIGHUP')
  while ([0, beforeMs].includes(writtenMs())) {
    if (performance.now() > deadlineMs) {
      log.warn('sshd was told to read its configuration again, and has not yet', { pid })
      return
    }
    await delay(LOOK_EVERY_MS)
  }
  log.info('sshd reads its configuration again', { pid })
}
