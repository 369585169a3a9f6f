import { writeFileSync } from 'node:fs'
import { usersPortContract } from '#test/contract/accounts/users-port.ts'
import { filesPortContract } from '#test/contract/files/files-port.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'
import { newName } from '../agent/agent-fixture.ts'
import { createLinkInstance, createTestPanel } from './link-instance.ts'

/** A real agent that is spoken to through a real link alone. */
const setUp = async () => {
  const host = await createLinkInstance()
  const panel = await createTestPanel('panel-1')
  host.trust([panel])
  await host.agent.start()
  await host.startLink()
  // The suites remove more accounts than a panel may on its own word.
  writeFileSync(host.agent.at('state', 'agent', 'allow-removals'), '')
  const client = host.clientOf(panel)
  const dispose = async (): Promise<void> => {
    for (const { username } of await host.agent.client.users.list())
      await host.agent.client.users.remove({ operationId: randomId(), username })
    await host.dispose()
  }
  return { client, dispose }
}

usersPortContract('through the link', async () => {
  const { client, dispose } = await setUp()
  return { users: client.users, files: client.files, newName, dispose }
})
filesPortContract('through the link', async () => {
  const { client, dispose } = await setUp()
  const username = newName()
  await client.users.create({
    ...{ operationId: randomId(), username, password: 'a password' },
    ...{ primaryDomain: 'linked.example.com', diskQuotaMb: 0 },
  })
  return { files: client.files, username, dispose }
})
