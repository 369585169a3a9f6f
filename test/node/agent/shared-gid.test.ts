import { afterEach, beforeEach, expect, it } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { createAgentFixture, lineOf, newName } from './agent-fixture.ts'
import type { AgentFixture } from './agent-fixture.ts'

let host: AgentFixture
const other = newName()
beforeEach(async () => {
  host = await createAgentFixture()
})
afterEach(async () => {
  await runCommand('/usr/sbin/userdel', ['--', other])
  await runCommand('/usr/sbin/groupdel', ['--force', '--', other])
  await host.dispose()
})

it("removes an account whose group's number another installation took at the same moment", async () => {
  const { username, gid } = await host.account()
  await mustRun('/usr/sbin/groupadd', ['--non-unique', '--gid', String(gid), '--', other])
  await mustRun('/usr/sbin/useradd', ['--gid', String(gid), '--no-create-home', '--', other])
  await host.users.remove({ operationId: host.operationId(), username })
  for (const file of ['/etc/passwd', '/etc/group'])
    expect(await lineOf(file, username), file).toBeNull()
  // The neighbour keeps its user and a group of that number.
  expect(await lineOf('/etc/passwd', other)).toContain(`:${gid}:`)
  expect(await lineOf('/etc/group', other)).toContain(`:${gid}:`)
})
