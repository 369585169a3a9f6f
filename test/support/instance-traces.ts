import { readdirSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { runCommand } from '#adapters/node/process/run-command.ts'

/** OS users whose home lies in the instance's directory: the instance made them. */
const usersBelow = (dir: string): { name: string; uid: number }[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((row) => row[5]?.startsWith(`${dir}/`))
    .map((row) => ({ name: row[0] ?? '', uid: Number(row[2]) }))

/** Live processes of these users, or started with paths of the instance. */
const processesOf = (dir: string, uids: ReadonlySet<number>): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return false
        if (uids.has(statSync(`/proc/${pid}`).uid)) return true
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return words.includes(`${dir}/`)
      } catch {
        return false // ended meanwhile
      }
    })
    .map(Number)

/**
 * Removes what a stopped instance may have left behind: processes, users,
 * groups, files. Only what carries the instance's own directory is touched.
 */
export const removeTraces = async (dir: string): Promise<void> => {
  const users = usersBelow(dir)
  const uids = new Set(users.map(({ uid }) => uid))
  for (let round = 0; round < 100; round++) {
    const left = processesOf(dir, uids)
    if (left.length === 0) break
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Ended meanwhile.
      }
    }
    await setTimeout(20)
  }
  for (const { name } of users) {
    await runCommand('/usr/sbin/userdel', ['--force', '--', name])
    await runCommand('/usr/sbin/groupdel', ['--', name])
  }
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
}
