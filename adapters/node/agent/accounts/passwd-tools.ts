import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError, mustRun } from '../../process/run-command.ts'
import { createKeyedMutex } from '../keyed-mutex.ts'

const TOOLS = {
  useradd: '/usr/sbin/useradd',
  userdel: '/usr/sbin/userdel',
  usermod: '/usr/sbin/usermod',
  groupadd: '/usr/sbin/groupadd',
  groupdel: '/usr/sbin/groupdel',
  chpasswd: '/usr/sbin/chpasswd',
} as const

const oneAtATime = createKeyedMutex()
const GIVE_UP_MS = 20_000

/**
 * Runs a tool of the passwd suite. They take one lock over /etc/passwd and fail
 * at once when somebody else (another instance, an administrator) holds it, so
 * ours queue up here and retry for 20 s while the lock is foreign.
 */
export const passwdTool = (
  tool: keyof typeof TOOLS,
  args: readonly string[],
  input?: string,
): Promise<void> =>
  oneAtATime('passwd', async () => {
    const deadlineMs = Date.now() + GIVE_UP_MS
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      try {
        await mustRun(TOOLS[tool], args, input === undefined ? {} : { input })
        return
      } catch (error) {
        const busy =
          error instanceof CommandError &&
          /cannot lock|try again later|Authentication token lock busy/i.test(error.stderr)
        if (!busy || Date.now() > deadlineMs) throw error
        await delay(pauseMs + Math.random() * pauseMs)
      }
    }
  })

const isToolFor = async (pid: string, username: string): Promise<boolean> => {
  const [program, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split(
    '\0',
  )
  return basename(program ?? '') in TOOLS && args.includes(username)
}

/**
 * Resolves when no passwd tool works on this user any more. One that a killed
 * agent had started runs on, and would change what was settled meanwhile.
 */
export const passwdToolsEnded = async (username: string): Promise<void> => {
  const deadlineMs = Date.now() + GIVE_UP_MS
  while (Date.now() < deadlineMs) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const found = await Promise.all(pids.map((pid) => isToolFor(pid, username)))
    if (!found.includes(true)) return
    await delay(10)
  }
  throw new Error(`a tool that changes the user ${username} does not end`)
}
