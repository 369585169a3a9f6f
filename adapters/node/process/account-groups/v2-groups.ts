import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HELPER_MEMORY_MB, HELPER_TASKS } from './account-groups.ts'
import type { AccountGroups, GroupUse, GroupValues, Held } from './account-groups.ts'
import { enterWords } from './enter-words.ts'
import type { GroupHierarchy } from './group-mounts.ts'
import { createGroupTree } from './group-tree.ts'
import type { GroupFile } from './group-tree.ts'
import { numberIn } from './number-in.ts'
import { MEBIBYTE } from '#handlers/domain/text/megabyte.ts'

/** Which controllers hold what. */
const HELD: readonly (readonly [controller: string, Held])[] = [
  ['cpu', 'cpu'],
  ['memory', 'memory'],
  ['pids', 'tasks'],
  ['io', 'io'],
]
const PERIOD_US = 100_000
/**
 * From here on programs are slowed down and must give back, before the limit itself ends one. The
 * kernel slows them by the square of the part they are above it: at a tenth above, where nothing
 * can be given back, one that takes on and on was at a crawl for 16 s before it was ended, and its
 * account with it; at a fiftieth it is ended at once.
 */
export const HIGH_PART = 0.98

const memoryOf = (kind: 'programs' | 'helpers', memoryMb: number | null): GroupFile[] => {
  const bytes = memoryMb === null ? null : memoryMb * MEBIBYTE
  return [
    {
      kind,
      file: 'memory.high',
      value: bytes === null ? 'max' : String(Math.floor(bytes * HIGH_PART)),
    },
    { kind, file: 'memory.max', value: bytes === null ? 'max' : String(bytes) },
    // An account that swaps slows down all others.
    { kind, file: 'memory.swap.max', value: bytes === null ? 'max' : '0' },
  ]
}

/** Microseconds of each period. */
const quotaOf = (cpuPercent: number): number => Math.round((cpuPercent * PERIOD_US) / 100)

/** Of io.cost, and of the scheduler BFQ, which has a file of its own. */
const DISK_FILES = ['io.weight', 'io.bfq.weight']

/** BFQ knows weights from 1 to 1000, of which 100 is the usual one, too. As systemd does it. */
export const bfqWeight = (ioWeight: number): number =>
  ioWeight <= 100 ? ioWeight : Math.round(100 + ((ioWeight - 100) * 900) / 9900)

const filesOf = (values: GroupValues): GroupFile[] => {
  const { cpuWeight, cpuPercent, ioWeight, memoryMb, tasks } = values
  const quota = cpuPercent === null ? 'max' : String(quotaOf(cpuPercent))
  return [
    { kind: null, file: 'cpu.weight', value: String(cpuWeight) },
    { kind: null, file: 'cpu.max', value: `${quota} ${PERIOD_US}` },
    { kind: null, file: 'io.weight', value: `default ${ioWeight}` },
    { kind: null, file: 'io.bfq.weight', value: String(bfqWeight(ioWeight)) },
    ...memoryOf('programs', memoryMb),
    ...memoryOf('helpers', HELPER_MEMORY_MB),
    { kind: 'programs', file: 'pids.max', value: String(tasks) },
    { kind: 'helpers', file: 'pids.max', value: String(HELPER_TASKS) },
  ]
}

/** What the files of an account's group say; `read` answers the text of one, or null. */
export const useOfV2 = (read: (file: string) => string | null): GroupUse => {
  const cpuUs = numberIn(read('cpu.stat') ?? '', 'usage_usec')
  const memory = numberIn(read('memory.current') ?? '')
  const files = numberIn(read('memory.stat') ?? '', 'inactive_file')
  return {
    cpuMs: cpuUs === null ? null : Math.round(cpuUs / 1000),
    memoryBytes: memory === null ? null : Math.max(0, memory - (files ?? 0)),
    tasks: numberIn(read('pids.current') ?? ''),
    memoryEnds: numberIn(read('memory.events') ?? '', 'oom_kill'),
  }
}

const words = (path: string): string[] => {
  try {
    return readFileSync(path, 'utf8').trim().split(/\s+/)
  } catch {
    return []
  }
}

/** Lets groups below hold these; one that is refused is left out. */
const enable = (directory: string, controllers: readonly string[]): void => {
  const given = words(join(directory, 'cgroup.subtree_control'))
  for (const controller of controllers.filter((one) => !given.includes(one))) {
    try {
      writeFileSync(join(directory, 'cgroup.subtree_control'), `+${controller}`)
    } catch {
      // E.g. processes of others are in it. What is there afterwards is looked at.
    }
  }
}

/**
 * The unified control groups. Null: they cannot be had here, since no controller is there, or
 * since processes are in the group below which accounts' would lie, which the kernel forbids
 * ("no internal processes").
 */
export const createV2Groups = (
  hierarchies: readonly GroupHierarchy[],
  name: string,
): AccountGroups | null => {
  const found = hierarchies.find(({ version }) => version === 2)
  if (found === undefined) return null
  // The real root may hold processes beside groups; any other only one of the two.
  const isRoot = !existsSync(join(found.mount, 'cgroup.type'))
  const top = isRoot ? found.mount : found.own
  const wanted = HELD.map(([controller]) => controller).filter((one) =>
    words(join(top, 'cgroup.controllers')).includes(one),
  )
  enable(top, wanted)
  const granted = words(join(top, 'cgroup.subtree_control'))
  const controllers = wanted.filter((one) => granted.includes(one))
  if (controllers.length === 0) return null
  const base = join(top, name)
  const tree = createGroupTree([base], {
    processor: controllers.includes('cpu') ? base : null,
    prepare: (directory) => enable(directory, controllers),
    // The account's programs stay beside the part, which only a group of threads allows; their
    // memory and tasks are counted where they are.
    preparePart(part, group) {
      writeFileSync(join(part, 'cgroup.type'), 'threaded')
      enable(group, ['cpu'])
    },
  })
  return {
    kind: 'cgroup v2',
    holds: HELD.filter(([controller]) => controllers.includes(controller)).map(([, held]) => held),
    words(uid, kind, part) {
      tree.make(uid)
      if (part !== undefined) tree.makePart(uid, part)
      return enterWords(tree.entries(uid, kind, part))
    },
    async setPart(uid, part, cpuPercent) {
      tree.makePart(uid, part)
      tree.writePart(uid, part, 'cpu.max', `${quotaOf(cpuPercent)} ${PERIOD_US}`)
    },
    removePart: (uid, part) => tree.removePart(uid, part),
    async set(uid, values) {
      tree.make(uid)
      // Weights of the disk depend on its scheduler.
      const refused = tree.write(uid, filesOf(values)).filter((file) => !DISK_FILES.includes(file))
      if (refused.length > 0)
        throw new Error(`The kernel does not take the limits of uid ${uid}: ${refused.join(', ')}.`)
      return true
    },
    async take(uid, kind, pids) {
      tree.make(uid)
      tree.take(uid, kind, pids)
    },
    isIn: (uid, lines) =>
      lines.split('\n').some((line) => line.startsWith('0::') && line.includes(`/${name}/${uid}/`)),
    use: (uid) =>
      tree.uids().includes(uid) ? useOfV2((file) => tree.read(uid, null, file)) : null,
    uids: () => tree.uids(),
    remove: (uid) => tree.remove(uid),
  }
}
