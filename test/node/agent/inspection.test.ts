import { chmod } from 'node:fs/promises'
import { inspectionPortContract } from '#test/contract/host/inspection-port.ts'
import { newName } from './agent-fixture.ts'
import { createAgentInstance } from './agent-process.ts'

inspectionPortContract('the agent', async () => {
  const instance = await createAgentInstance()
  await instance.start()
  const { users } = instance.client
  const username = newName()
  const { home } = await users.create({
    operationId: 'make',
    username,
    password: 'a password',
    primaryDomain: 'inspected.example.com',
    diskQuotaMb: 0,
  })
  return {
    ports: instance.client,
    account: { username, home },
    breakHome: () => chmod(home, 0o777),
    dispose: async () => {
      await users.remove({ operationId: 'remove', username })
      await instance.dispose()
    },
  }
})
