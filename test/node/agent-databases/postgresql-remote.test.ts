import { afterAll, beforeAll } from 'vitest'
import { databaseRemotePortContract } from '#test/contract/databases/database-remote-port.ts'
import { createRemoteHost, openPostgresqlFrom } from './remote-subject.ts'
import type { RemoteHost } from './remote-subject.ts'

let on: RemoteHost
beforeAll(async () => {
  on = await createRemoteHost('postgresql')
  on.service.start()
  await on.engine.whenReady()
})
afterAll(async () => {
  await on.service.stop()
  await on.host.dispose()
})

databaseRemotePortContract('PostgreSQL', async () => ({
  databases: on.service,
  users: on.service.users,
  remote: on.service.remote,
  engine: 'postgresql',
  username: on.registerAccount(),
  otherUsername: on.registerAccount(),
  open: (from, user, password, database) =>
    openPostgresqlFrom(on, from, { user, password, database }, { ca: on.pair.cert }),
}))
