import { readdirSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '#handlers/errors.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import { TENANT_TASKS } from '../../process/as-user.ts'

/** What a program needs to begin with: a Node process has threads, FPM and lsphp a child. */
const NEEDED = { node: 16, native: 4 } as const
/** A process 1 that collects the dead only now and then may take this long. */
const PATIENCE_MS = 4000
const LOOK_MS = 100

/** Threads of one process; 1 for a dead one that nobody collected. */
const threadsOf = (pid: string): number => Math.max(1, statSync(`/proc/${pid}/task`).nlink - 2)

/** Processes and threads of a user as its limit counts them: with the dead that nobody has collected yet. */
export const countTasks = (uid: number): number => {
  let tasks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (statSync(`/proc/${name}`).uid === uid) tasks += threadsOf(name)
    } catch {
      // Gone meanwhile.
    }
  }
  return tasks
}

/**
 * Resolves when the user may start another program under its limit. Without room
 * Node does not fail: it waits forever for a thread that could not be made.
 * Rejects with 503 when there is none after four seconds.
 */
export const awaitTaskRoom = async (
  { username, uid, limits }: Pick<RegisteredAccount, 'username' | 'uid' | 'limits'>,
  program: keyof typeof NEEDED,
): Promise<void> => {
  const most = limits?.processes ?? TENANT_TASKS
  const deadlineMs = performance.now() + PATIENCE_MS
  for (;;) {
    const tasks = countTasks(uid)
    if (tasks + NEEDED[program] <= most) return
    if (performance.now() > deadlineMs)
      throw unavailable(
        `Account ${username} has ${tasks} processes and threads, of ${most} that it may have. End some of them.`,
      )
    await delay(LOOK_MS)
  }
}
