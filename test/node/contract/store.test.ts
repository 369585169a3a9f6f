import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { storeContract } from '#test/contract/store-contract.ts'

const temporary = () => mkdtemp(join(tmpdir(), 'berth-store-'))

storeContract('SQLite file', async () => {
  const directory = await temporary()
  const { store, close } = await openStore(join(directory, 'panel.sqlite'))
  return {
    store,
    async dispose() {
      close()
      await rm(directory, { recursive: true, force: true })
    },
  }
})

describe('SQLite file', () => {
  let directory: string
  beforeAll(async () => {
    directory = await temporary()
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test('belongs to its owner alone and keeps what was written', async () => {
    const file = join(directory, 'panel.sqlite')
    const admin = { username: 'boss', password_hash: 'x', not_before_secs: 0, created_at: 'now' }
    const first = await openStore(file)
    await first.store.createFirstAdmin(admin)
    for (const name of await readdir(directory)) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600)
    }
    first.close()
    const second = await openStore(file)
    expect(await second.store.adminByName('boss')).toMatchObject(admin)
    expect(await second.store.createFirstAdmin(admin)).toBeNull()
    second.close()
  })
})
