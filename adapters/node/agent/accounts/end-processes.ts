import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { hasLivingThread } from '../../process/process-identity.ts'
import { asUser } from '../../process/as-user.ts'
import { runCommand } from '../../process/run-command.ts'

/** Living (not zombie) processes that have `uid` as real, effective, saved or filesystem uid. */
export const processesOf = async (uid: number): Promise<number[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const status = await readFile(`/proc/${pid}/status`, 'utf8')
        // Z and X are gone in all but name: PID 1 may not reap them.
        if (/^State:\s+[ZX]/m.test(status) && !hasLivingThread(pid)) return null
        const uids = /^Uid:(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/).map(Number) ?? []
        return uids.includes(uid) ? pid : null
      } catch {
        return null // ended while we looked
      }
    }),
  )
  return found.filter((pid) => pid !== null)
}

const killEach = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // ended meanwhile
    }
  }
}

/**
 * kill(-1) sent under that uid reaches all of its processes in one step of the
 * kernel, which no forking loop outruns. The script checks that it really gave
 * up root: as root the same call would end the whole machine.
 */
const killAllAs = async (uid: number, gid: number): Promise<void> => {
  const script = `if (process.getuid() === ${uid} && process.geteuid() === ${uid} && ${uid} >= 1000) process.kill(-1, 'SIGKILL')`
  const { program, args } = asUser({ uid, gid, groups: 'none' }, process.execPath, ['-e', script])
  // One of those processes may stop or end this one; the next round tries again.
  await runCommand(program, args, { timeoutMs: 3000 }).catch(() => undefined)
}

/**
 * SIGKILLs every process of an account until none is left. Gives up after
 * `timeoutMs` (default 15000): then something outside (a stuck kernel call) keeps one.
 */
export const endProcesses = async (
  who: { uid: number; gid: number },
  timeoutMs = 15_000,
): Promise<void> => {
  if (who.uid < 1000) throw new Error(`refusing to end the processes of system uid ${who.uid}`)
  const deadlineMs = Date.now() + timeoutMs
  for (let round = 0; ; round += 1) {
    const pids = await processesOf(who.uid)
    if (pids.length === 0 && round > 0) return
    if (Date.now() > deadlineMs)
      throw new Error(`processes of uid ${who.uid} do not end: ${pids.slice(0, 10).join(', ')}`)
    killEach(pids)
    // Also once where we see none: the kernel knows better than a listing of /proc.
    if (round !== 1 && process.getuid?.() === 0) await killAllAs(who.uid, who.gid)
    await delay(Math.min(2 + round * 5, 50))
  }
}
