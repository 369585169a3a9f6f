import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountGroups } from '#adapters/node/process/account-groups/account-groups.ts'
import { findGroups } from '#adapters/node/process/account-groups/find-groups.ts'
import { groupHierarchies } from '#adapters/node/process/account-groups/group-mounts.ts'
import { createV2Groups } from '#adapters/node/process/account-groups/v2-groups.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { accountGroupsSuite } from '#test/node/process/support/account-groups-suite.ts'

const ROOT = '/sys/fs/cgroup'
const text = (file: string): string => readFileSync(file, 'utf8')
const isThere = (groups: AccountGroups | null): AccountGroups => {
  if (groups === null) throw new Error('There are no such groups.')
  return groups
}

describe('slices, where systemd rules the machine', () => {
  accountGroupsSuite(async () => {
    const { groups, reason } = await findGroups('/var/lib/berth')
    expect({ kind: groups?.kind, reason }).toEqual({ kind: 'systemd slices', reason: null })
    return isThere(groups)
  })
})

describe('unified groups at the root of the machine', () => {
  accountGroupsSuite(async () => {
    const hierarchies = groupHierarchies(text('/proc/self/mountinfo'), text('/proc/self/cgroup'))
    const groups = createV2Groups(hierarchies, 'berth-root')
    expect(groups?.holds).toEqual(['cpu', 'memory', 'tasks', 'io'])
    return isThere(groups)
  })
})

describe('unified groups of a container, below the one that was given to it', () => {
  /** As a container sees them: the group it was given is what is mounted. */
  const given = '/run/berth-given'
  beforeAll(async () => {
    const [, own = ''] = /^0::(.*)$/m.exec(text('/proc/self/cgroup')) ?? []
    const ours = join(ROOT, own)
    // No processes beside groups: what runs here moves into one.
    mkdirSync(join(ours, 'first'))
    for (const pid of text(join(ours, 'cgroup.procs')).trim().split('\n'))
      writeFileSync(join(ours, 'first', 'cgroup.procs'), pid)
    mkdirSync(given, { recursive: true })
    await mustRun('/usr/bin/mount', ['--bind', '--', ours, given])
  })
  afterAll(() => mustRun('/usr/bin/umount', ['--', given]).then(() => undefined))
  accountGroupsSuite(async () => {
    const groups = createV2Groups(
      [{ version: 2, controllers: [], mount: given, own: given }],
      'berth-container',
    )
    expect(groups?.holds).toEqual(expect.arrayContaining(['cpu', 'memory', 'tasks']))
    return isThere(groups)
  })
})

describe('a machine without a message bus', () => {
  const bus = '/run/dbus/system_bus_socket'
  beforeAll(async () => {
    await mustRun('/usr/bin/systemctl', ['stop', '--', 'dbus.socket', 'dbus.service'])
    renameSync(bus, `${bus}.away`)
  })
  afterAll(async () => {
    rmSync(`${bus}.away`, { force: true })
    await mustRun('/usr/bin/systemctl', ['start', '--', 'dbus.socket'])
  })

  it('begins programs in slices all the same, and says what taking others in needs', async () => {
    const { groups, reason } = await findGroups('/var/lib/berth')
    expect({ kind: groups?.kind, reason }).toEqual({ kind: 'systemd slices', reason: null })
    const uid = 23_461
    const [program = '', ...args] = isThere(groups).words(uid, 'programs')
    const { stdout } = await mustRun(program, [...args, '/bin/cat', '/proc/self/cgroup'])
    expect(groups?.isIn(uid, stdout)).toBe(true)
    const sleeper = spawn('/usr/bin/sleep', ['300'])
    try {
      await expect(groups?.take(uid, 'programs', [sleeper.pid ?? 0])).rejects.toThrow(
        /apt install dbus/,
      )
    } finally {
      sleeper.kill('SIGKILL')
    }
    await groups?.remove(uid)
    expect(groups?.uids()).toEqual([])
  })
})
