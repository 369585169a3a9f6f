import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GROUP_KINDS, HELPER_MEMORY_MB, HELPER_TASKS } from './account-groups.ts'
import type { AccountGroups, GroupKind, GroupValues } from './account-groups.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { HIGH_PART, useOfV2 } from './v2-groups.ts'
import { MEBIBYTE } from '#handlers/domain/text/megabyte.ts'

/** Runs a program of systemd's; throws what it says where it fails. */
export type RunSystemd = (program: string, args: readonly string[]) => Promise<void>

/** systemd answers before it has moved the processes. */
const MOVED_TRIES = 200
const MOVED_WAIT_MS = 25
const BUS = '/run/dbus/system_bus_socket'

const isInGroup = (pid: number, group: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/${group}\n`)
  } catch {
    return true // ended meanwhile
  }
}

/**
 * Where systemd counts the memory of a scope it also watches for what the kernel ends there, and
 * ends all the rest of the scope then (of version 252 without an OOMPolicy to say otherwise): all
 * PHP of an account because of one program. The account's memory is counted in its slices.
 */
const UNWATCHED = ['MemoryAccounting', 'b', 'false']

const LITERAL = ['--expand-environment=no']

/**
 * From version 254 on systemd-run may put values of its own variables in the place of what looks like a
 * variable in a command line, such as the shell line of a cron job; it is told not to, which earlier
 * versions neither do nor understand.
 */
export const literalOptions = async (
  succeeds: (program: string, args: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> =>
  (await succeeds('/usr/bin/systemd-run', [...LITERAL, '--version'])) ? LITERAL : []

const orInfinity = (value: number | null): string => (value === null ? 'infinity' : String(value))

const memoryOf = (memoryMb: number | null): string[] => {
  const bytes = memoryMb === null ? null : memoryMb * MEBIBYTE
  return [
    `MemoryHigh=${orInfinity(bytes === null ? null : Math.floor(bytes * HIGH_PART))}`,
    `MemoryMax=${orInfinity(bytes)}`,
    `MemorySwapMax=${bytes === null ? 'infinity' : '0'}`,
  ]
}

/**
 * Slices of systemd, which owns the control groups of such a host and would undo what others
 * write there: the values are properties of slices until the next start of the machine, and
 * each program begins in a scope (systemd.scope) below its account's. `root`: the mount of the unified
 * groups, from which is read what is used. `runOptions`: further ones of systemd-run here (`literalOptions`).
 */
export const createSystemdGroups = (
  name: string,
  run: RunSystemd,
  root = '/sys/fs/cgroup',
  isThere: (pid: number) => boolean = (pid) => existsSync(`/proc/${pid}`),
  isIn: (pid: number, group: string) => boolean = isInGroup,
  runOptions: readonly string[] = [],
): AccountGroups => {
  // Of `a-b.slice` the group is `a.slice/a-b.slice` (systemd.slice).
  const parts = name.split('-')
  const ours = parts.map((_, index) => `${parts.slice(0, index + 1).join('-')}.slice`)
  const base = join(root, ...ours)
  const sliceOf = (uid: number, kind: GroupKind | null = null): string =>
    `${name}-${uid}${kind === null ? '' : `-${kind}`}.slice`
  /** A `-` in a name would be one slice more (systemd.slice); no name of a part has a `_`. */
  const partOf = (uid: number, part: string): string =>
    sliceOf(uid, 'programs').replace(/\.slice$/, `-${part.replaceAll('-', '_')}.slice`)
  const setProperty = (slice: string, properties: readonly string[]): Promise<void> =>
    run('/usr/bin/systemctl', ['set-property', '--runtime', '--', slice, ...properties])
  let scopes = 0
  const begin = async (uid: number, kind: GroupKind, pids: readonly number[]): Promise<void> => {
    scopes += 1
    const scope = `${name}-${uid}-taken-${process.pid}-${scopes}.scope`
    await run('/usr/bin/busctl', [
      ...['call', '--', 'org.freedesktop.systemd1', '/org/freedesktop/systemd1'],
      ...['org.freedesktop.systemd1.Manager', 'StartTransientUnit', 'ssa(sv)a(sa(sv))'],
      ...[scope, 'fail', '4'],
      ...['PIDs', 'au', String(pids.length), ...pids.map(String)],
      ...['Slice', 's', sliceOf(uid, kind)],
      ...['CollectMode', 's', 'inactive-or-failed'],
      ...UNWATCHED,
      '0',
    ])
    for (let tries = 0; tries < MOVED_TRIES; tries += 1) {
      if (pids.every((pid) => isIn(pid, scope))) return
      await delay(MOVED_WAIT_MS)
    }
    throw new Error(`systemd has not moved the processes into ${scope}.`)
  }
  return {
    kind: 'systemd slices',
    holds: ['cpu', 'memory', 'tasks', 'io'],
    words: (uid, kind, part) => [
      ...['/usr/bin/systemd-run', '--scope', '--quiet', '--collect', ...runOptions],
      '--property=MemoryAccounting=no',
      ...[`--slice=${part === undefined ? sliceOf(uid, kind) : partOf(uid, part)}`, '--'],
    ],
    setPart: (uid, part, cpuPercent) => setProperty(partOf(uid, part), [`CPUQuota=${cpuPercent}%`]),
    async removePart(uid, part) {
      await run('/usr/bin/systemctl', ['stop', '--', partOf(uid, part)])
      await run('/usr/bin/systemctl', ['revert', '--', partOf(uid, part)])
    },
    async set(uid, { cpuWeight, cpuPercent, ioWeight, memoryMb, tasks }: GroupValues) {
      await setProperty(sliceOf(uid), [
        `CPUWeight=${cpuWeight}`,
        `CPUQuota=${cpuPercent === null ? '' : `${cpuPercent}%`}`,
        `IOWeight=${ioWeight}`,
      ])
      await setProperty(sliceOf(uid, 'programs'), [...memoryOf(memoryMb), `TasksMax=${tasks}`])
      await setProperty(sliceOf(uid, 'helpers'), [
        ...memoryOf(HELPER_MEMORY_MB),
        `TasksMax=${HELPER_TASKS}`,
      ])
      return true
    },
    async take(uid, kind, pids) {
      const living = pids.filter(isThere)
      if (living.length === 0) return
      try {
        await begin(uid, kind, living)
      } catch (error) {
        // It takes all or none, and one may have ended meanwhile.
        if (living.every(isThere))
          throw existsSync(BUS)
            ? error
            : new Error('systemd takes processes in by the message bus alone: apt install dbus', {
                cause: error,
              })
        await this.take(uid, kind, living)
      }
    },
    isIn: (uid, lines) => lines.includes(`/${sliceOf(uid)}/`),
    use(uid) {
      const directory = join(base, sliceOf(uid))
      if (!existsSync(directory)) return null
      return useOfV2((file) => {
        try {
          return readFileSync(join(directory, file), 'utf8')
        } catch {
          return null
        }
      })
    },
    uids() {
      const own = existsSync(base) ? readdirSync(base) : []
      return own.flatMap((entry) => {
        const [, digits] = /^[a-z0-9-]+-(\d+)\.slice$/.exec(entry) ?? []
        return digits === undefined || entry !== sliceOf(Number(digits)) ? [] : [Number(digits)]
      })
    },
    async remove(uid) {
      const slices = [...GROUP_KINDS.map((kind) => sliceOf(uid, kind)), sliceOf(uid)]
      await run('/usr/bin/systemctl', ['stop', '--', ...slices])
      await run('/usr/bin/systemctl', ['revert', '--', ...slices])
    },
  }
}
