import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import { createDatabasesPort } from '#adapters/node/agent/databases/databases-port.ts'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { createHostFixture } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'

let host: HostFixture
let databases: DatabasesService
let account: RegisteredAccount
beforeAll(async () => {
  host = await createHostFixture()
  await mkdir(`${host.directory}/log`)
  account = await host.createAccount()
  const { engines } = composeEngines(
    {
      mariadb: 'managed',
      mariadb_socket: '/nowhere',
      postgresql: 'managed',
      postgresql_socket: '/nowhere/.s.PGSQL.5432',
    },
    { state_dir: host.stateDir, run_dir: host.runDir, log_dir: `${host.directory}/log` },
    host.log,
  )
  const { registry, lock, log } = host
  databases = createDatabasesPort({ registry, lock, engines, log })
})
afterAll(async () => {
  await databases?.stop()
  await host?.dispose()
})

describe('the same names in two engines', () => {
  it('are two databases with two users, each made, locked and dropped by itself', async () => {
    const { username } = account
    const names = { username, database: `${username}_shop`, user: `${username}_shop` }
    const known = async (): Promise<string[]> =>
      (await databases.facts({ username })).map(({ engine, tables }) => `${engine} ${tables}`)
    for (const engine of ['mariadb', 'postgresql'] as const)
      await databases.create({
        ...names,
        operationId: `two-${engine}`,
        engine,
        password: 'long enough',
      })
    expect(await known()).toEqual(['mariadb 0', 'postgresql 0'])
    await expect(
      databases.create({
        ...names,
        operationId: 'again',
        database: `${username}_other`,
        engine: 'mariadb',
        password: 'long enough',
      }),
    ).rejects.toMatchObject({ status: 409 })
    await databases.setLocked({ operationId: 'lock', username, locked: true })
    expect(host.registry.databasesOf(username).map(({ locked }) => locked)).toEqual([true, true])
    await databases.remove({ ...names, operationId: 'drop', engine: 'mariadb' })
    expect(await known()).toEqual(['postgresql 0'])
  })
})
