import { afterAll, beforeAll } from 'vitest'
import { databaseRemotePortContract } from '#test/contract/databases/database-remote-port.ts'
import { createRemoteHost, openMariadbFrom } from './remote-subject.ts'
import type { RemoteHost } from './remote-subject.ts'

let on: RemoteHost
beforeAll(async () => {
  on = await createRemoteHost('mariadb')
  on.service.start()
  await on.engine.whenReady()
})
afterAll(async () => {
  await on.service.stop()
  await on.host.dispose()
})

databaseRemotePortContract('MariaDB', async () => ({
  databases: on.service,
  users: on.service.users,
  remote: on.service.remote,
  engine: 'mariadb',
  username: on.registerAccount(),
  otherUsername: on.registerAccount(),
  open: (from, user, password, database) =>
    openMariadbFrom(on, from, { user, password, database }, { ca: on.pair.cert }),
}))
