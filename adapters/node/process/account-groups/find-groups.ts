import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { CLEAN_ENV } from '../clean-env.ts'
import { mustRun, runCommand } from '../run-command.ts'
import type { AccountGroups } from './account-groups.ts'
import { groupHierarchies } from './group-mounts.ts'
import type { GroupHierarchy } from './group-mounts.ts'
import { createSystemdGroups, literalOptions } from './systemd-groups.ts'
import { createV1Groups } from './v1-groups.ts'
import { createV2Groups } from './v2-groups.ts'

/** Nobody who is not one of the account's groups' words stays in them; the probe is no account's. */
const PROBE_UID = 0
const TRUE = '/usr/bin/true'

/** What was found to hold accounts with, or why there is nothing. */
export type FoundGroups = { groups: AccountGroups; reason: null } | { groups: null; reason: string }

/** Below this name lie the groups of an installation: several may share a machine. */
const nameOf = (stateDir: string): string =>
  `berth-${createHash('sha256').update(stateDir).digest('hex').slice(0, 8)}`

const mounted = (): GroupHierarchy[] => {
  try {
    return groupHierarchies(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    )
  } catch {
    return []
  }
}

/** Makes a group, lets a program begin in it, and removes it; throws why that does not work. */
const probe = async (groups: AccountGroups): Promise<void> => {
  const [program = '', ...args] = [...groups.words(PROBE_UID, 'helpers'), TRUE]
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: '/',
    env: CLEAN_ENV,
    encoding: 'utf8',
    timeout: 10_000,
  })
  await groups.remove(PROBE_UID)
  if (status !== 0) throw new Error(error?.message ?? stderr.trim())
}

/**
 * Chooses how accounts are held to their limits together, by what is mounted, delegated and
 * works: slices where systemd rules the machine, else the unified control groups, else the old ones.
 */
export const findGroups = async (stateDir: string): Promise<FoundGroups> => {
  const name = nameOf(stateDir)
  const hierarchies = mounted()
  const unified = hierarchies.some(
    ({ version, mount }) => version === 2 && mount === '/sys/fs/cgroup',
  )
  const bySystemd = unified && existsSync('/run/systemd/system')
  const runOptions = bySystemd
    ? await literalOptions(async (program, args) => (await runCommand(program, args)).code === 0)
    : []
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    await mustRun(program, args)
  }
  const ways: (() => AccountGroups | null)[] = [
    () =>
      bySystemd
        ? createSystemdGroups(name, run, undefined, undefined, undefined, runOptions)
        : null,
    () => createV2Groups(hierarchies, name),
    () => createV1Groups(hierarchies, name),
  ]
  const reasons: string[] = []
  for (const way of ways) {
    try {
      const groups = way()
      if (groups === null) continue
      await probe(groups)
      return { groups, reason: null }
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error))
    }
  }
  return {
    groups: null,
    reason: reasons.join(' ') || 'No control groups are mounted that this process may divide.',
  }
}
