import type { PhpPoolState } from '#handlers/ports/host/php.ts'
import type { MasterPool } from './master-pool.ts'
import { choiceInName } from './pool-choice.ts'
import { probeFastcgi } from './probe-fastcgi.ts'
import { probeLsapi } from './probe-lsapi.ts'

const PROBE_MS = 2000
/** Masters that are asked at once. */
const AT_ONCE = 16

/** Every running master, and whether it answers; sorted by account and version. */
export const poolStates = async (pool: Pick<MasterPool, 'list'>): Promise<PhpPoolState[]> => {
  const waiting = pool.list()
  const found: PhpPoolState[] = []
  const { signal } = new AbortController()
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { member, pid, socket, idleMs } = next
      const choice = choiceInName(member.name)
      const probe = choice.mode === 'lsapi' ? probeLsapi : probeFastcgi
      const answers = await probe(socket, PROBE_MS, signal).then(
        () => true,
        () => false,
      )
      const { username, version } = member
      const idleSecs = Math.floor(idleMs / 1000)
      found.push({ username, version, ...choice, pid, idleSecs, answers })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found.sort(
    (a, b) =>
      a.username.localeCompare(b.username) ||
      a.version.localeCompare(b.version) ||
      a.mode.localeCompare(b.mode) ||
      a.pid - b.pid,
  )
}
