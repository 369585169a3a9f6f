import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { valuesOf } from '#adapters/node/agent/limits/account-holds.ts'
import { findGroups } from '#adapters/node/process/account-groups/find-groups.ts'
import { groupHierarchies } from '#adapters/node/process/account-groups/group-mounts.ts'
import { ACCOUNTS_SHARES } from '#adapters/node/process/account-groups/v1-groups.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { accountGroupsSuite } from './support/account-groups-suite.ts'

/** The groups of this machine, whichever they are; the others have theirs in `test/vm`. */
const find = async () => {
  const found = await findGroups(`/tmp/account-groups-${process.pid}`)
  if (found.groups === null) throw new Error(found.reason)
  return found.groups
}
accountGroupsSuite(find)

it('gives all accounts together more than one process of the host', async () => {
  const groups = await find()
  if (groups.kind !== 'cgroup v1') return
  const uid = 23_463
  await groups.set(
    uid,
    valuesOf(null, { memoryTotalMb: 0, cpuWeight: 100, cpuPercent: 0, ioWeight: 100 }),
  )
  try {
    const [program = '', ...args] = groups.words(uid, 'programs')
    const { stdout } = await runCommand(program, [...args, '/bin/cat', '/proc/self/cgroup'])
    const [, place = ''] = /:cpu(?:,cpuacct)?:(\/.*)\/\d+\/programs$/m.exec(stdout) ?? []
    const mount = groupHierarchies(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    ).find(({ controllers }) => controllers.includes('cpu'))?.mount
    expect(Number(readFileSync(`${mount}${place}/cpu.shares`, 'utf8'))).toBe(ACCOUNTS_SHARES)
  } finally {
    await groups.remove(uid)
  }
})
