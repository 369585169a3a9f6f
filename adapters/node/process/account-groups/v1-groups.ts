import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HELPER_MEMORY_MB, HELPER_TASKS } from './account-groups.ts'
import type { AccountGroups, GroupValues, Held } from './account-groups.ts'
import { enterWords } from './enter-words.ts'
import type { GroupHierarchy } from './group-mounts.ts'
import { createGroupTree } from './group-tree.ts'
import type { GroupFile } from './group-tree.ts'
import { numberIn } from './number-in.ts'
import { MEBIBYTE } from '#handlers/domain/text/megabyte.ts'

/** Which controllers hold what. `cpuacct` counts, and holds nothing. */
const HELD: Readonly<Record<string, Held | null>> = {
  cpu: 'cpu',
  cpuacct: null,
  memory: 'memory',
  pids: 'tasks',
  blkio: 'io',
}
const PERIOD_US = 100_000
const DEFAULT_SHARES = 1024
/**
 * Of the group of all accounts. Each process of the host beside it has the default, so that with
 * the default the programs of all accounts together would get as much as one of those.
 */
export const ACCOUNTS_SHARES = 8 * DEFAULT_SHARES
const MOST_IO_WEIGHT = 1000

const memoryOf = (kind: 'programs' | 'helpers', memoryMb: number | null): GroupFile[] => {
  const value = memoryMb === null ? '-1' : String(memoryMb * MEBIBYTE)
  const limit = { kind, file: 'memory.limit_in_bytes', value }
  // Of memory and swap together never less than of memory: one order suits a rise, the other a fall.
  const together = { kind, file: 'memory.memsw.limit_in_bytes', value }
  return [limit, together, limit]
}

/** Microseconds of each period. */
const quotaOf = (cpuPercent: number): number => Math.round((cpuPercent * PERIOD_US) / 100)

const filesOf = (values: GroupValues): GroupFile[] => {
  const { cpuWeight, cpuPercent, ioWeight, memoryMb, tasks } = values
  const shares = Math.max(2, Math.round((cpuWeight * DEFAULT_SHARES) / 100))
  const quota = cpuPercent === null ? -1 : quotaOf(cpuPercent)
  const weight = String(Math.max(1, Math.min(MOST_IO_WEIGHT, ioWeight)))
  return [
    { kind: null, file: 'cpu.shares', value: String(shares) },
    { kind: null, file: 'cpu.cfs_period_us', value: String(PERIOD_US) },
    { kind: null, file: 'cpu.cfs_quota_us', value: String(quota) },
    { kind: null, file: 'blkio.bfq.weight', value: weight },
    ...memoryOf('programs', memoryMb),
    ...memoryOf('helpers', HELPER_MEMORY_MB),
    { kind: 'programs', file: 'pids.max', value: String(tasks) },
    { kind: 'helpers', file: 'pids.max', value: String(HELPER_TASKS) },
  ]
}

/** The old control groups: each controller has a tree of its own. Null: none of those needed is there. */
export const createV1Groups = (
  hierarchies: readonly GroupHierarchy[],
  name: string,
): AccountGroups | null => {
  const used = hierarchies.filter(
    ({ version, controllers }) => version === 1 && controllers.some((one) => one in HELD),
  )
  const holds = used
    .flatMap(({ controllers }) => controllers.map((one) => HELD[one] ?? null))
    .filter((one) => one !== null)
  if (holds.length === 0) return null
  const bases = [...new Set(used.map(({ own }) => join(own, name)))]
  const processor = used.find(({ controllers }) => controllers.includes('cpu'))
  const tree = createGroupTree(bases, {
    processor: processor === undefined ? null : join(processor.own, name),
  })
  const shareOut = (): void => {
    for (const file of bases.map((base) => join(base, 'cpu.shares')).filter(existsSync))
      writeFileSync(file, String(ACCOUNTS_SHARES))
  }
  const numberOf = (uid: number, file: string): number | null =>
    numberIn(tree.read(uid, null, file) ?? '')
  return {
    kind: 'cgroup v1',
    holds,
    words(uid, kind, part) {
      tree.make(uid)
      if (part !== undefined) tree.makePart(uid, part)
      return enterWords(tree.entries(uid, kind, part))
    },
    async setPart(uid, part, cpuPercent) {
      tree.makePart(uid, part)
      tree.writePart(uid, part, 'cpu.cfs_period_us', String(PERIOD_US))
      tree.writePart(uid, part, 'cpu.cfs_quota_us', String(quotaOf(cpuPercent)))
    },
    removePart: (uid, part) => tree.removePart(uid, part),
    async set(uid, values) {
      const { memoryMb } = values
      tree.make(uid)
      shareOut()
      const refused = tree.write(uid, filesOf(values))
      const others = refused.filter((file) => !file.startsWith('memory.'))
      if (others.length > 0)
        throw new Error(`The kernel does not take the limits of uid ${uid}: ${others.join(', ')}.`)
      // The first try of a memory limit may come too early, so what holds at the end counts.
      const wanted = memoryMb === null ? null : memoryMb * MEBIBYTE
      const limit = numberIn(tree.read(uid, 'programs', 'memory.limit_in_bytes') ?? '')
      return limit === null || wanted === null || limit <= wanted
    },
    async take(uid, kind, pids) {
      tree.make(uid)
      tree.take(uid, kind, pids)
    },
    isIn: (uid, lines) => {
      const inside = lines.split('\n').filter((line) => line.includes(`/${name}/${uid}/`))
      return inside.length >= bases.length
    },
    use(uid) {
      if (!existsSync(join(bases[0] ?? '', String(uid)))) return null
      const cpuNs = numberOf(uid, 'cpuacct.usage')
      const memory = numberOf(uid, 'memory.usage_in_bytes')
      const files = numberIn(tree.read(uid, null, 'memory.stat') ?? '', 'total_inactive_file')
      const ends = (['programs', 'helpers'] as const).map((kind) =>
        numberIn(tree.read(uid, kind, 'memory.oom_control') ?? '', 'oom_kill'),
      )
      return {
        cpuMs: cpuNs === null ? null : Math.round(cpuNs / 1e6),
        memoryBytes: memory === null ? null : Math.max(0, memory - (files ?? 0)),
        tasks: numberOf(uid, 'pids.current'),
        memoryEnds: ends.every((one) => one === null)
          ? null
          : ends.reduce<number>((sum, one) => sum + (one ?? 0), 0),
      }
    },
    uids: () => tree.uids(),
    remove: (uid) => tree.remove(uid),
  }
}
