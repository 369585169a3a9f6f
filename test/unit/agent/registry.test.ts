import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import type { OpenRegistry } from '#adapters/node/agent/registry/registry.ts'
import { runOperation } from '#adapters/node/agent/run-operation.ts'
import { AppError } from '#handlers/errors.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

const host = (domain: string, username = 'alice'): VirtualHostSpec => siteSpec(domain, username)

describe('registry', () => {
  let registry: OpenRegistry
  const file = (): string => join(directory, 'agent', 'registry.db')
  beforeEach(() => {
    makeDirectory()
    registry = openRegistry(file())
  })
  afterEach(async () => {
    registry.close()
  })
  const reserve = (username: string, isFree = (_uid: number) => true) =>
    registry.records.reserve({ username, home: `/home/${username}`, diskQuotaMb: 5 }, { isFree })

  it('closes its directory to others', async () => {
    expect((await stat(join(directory, 'agent'))).mode & 0o777).toBe(0o700)
  })

  it('shows accounts only while they are whole', () => {
    expect(reserve('alice')).toMatchObject({ uid: 20_000, gid: 20_000, state: 'creating' })
    expect(registry.account('alice')).toBeNull()
    registry.records.setState('alice', 'ready')
    registry.setPhp('alice', '8.2', 'cgi')
    expect(registry.account('alice')).toEqual({
      username: 'alice',
      uid: 20_000,
      gid: 20_000,
      home: '/home/alice',
      suspended: false,
      phpVersion: '8.2',
      phpMode: 'cgi',
      diskQuotaMb: 5,
      limits: null,
    })
    registry.records.setState('alice', 'removing')
    expect(registry.account('alice')).toBeNull()
    expect(registry.accounts()).toEqual([])
  })

  it('hands out each uid once, also after a restart, and none that is taken', () => {
    expect(reserve('alice')?.uid).toBe(20_000)
    registry.records.forget('alice')
    expect(reserve('alice')?.uid).toBe(20_001)
    expect(reserve('alice')).toBeNull()
    registry.close()
    registry = openRegistry(file())
    expect(reserve('bob', (uid) => uid > 20_005)?.uid).toBe(20_006)
    expect(reserve('carol', (uid) => uid > 59_999)?.uid).toBe(1_900_000_000)
    expect(reserve('dave')?.uid).toBe(1_900_000_001)
  })

  it('gives the number that is asked for, and lets none that is made up use up the others', () => {
    const wanted = (username: string, uid: number) =>
      registry.records.reserve(
        { username, home: `/home/${username}`, diskQuotaMb: 5 },
        { isFree: () => true, wanted: uid },
      )
    expect(wanted('alice', 20_017)?.uid).toBe(20_017)
    for (const uid of [0, 999, 70_000, 1_999_999_999, 2_000_000_000, 4_294_967_295])
      expect(wanted(`u${uid}`, uid)?.uid).toBeLessThan(20_030)
    expect(wanted('bob', 1_900_000_500)?.uid).toBe(1_900_000_500)
    expect(reserve('carol')?.uid).toBe(1_900_000_501)
  })

  it('keeps virtual hosts and databases', () => {
    registry.changeVhosts([host('a.example'), host('b.example', 'bob')], [])
    registry.changeVhosts([host('c.example')], ['b.example'])
    expect(registry.vhosts().map(({ domain }) => domain)).toEqual(['a.example', 'c.example'])
    expect(registry.vhostsOf('bob')).toEqual([])
    registry.replaceVhosts([host('d.example')])
    expect(registry.vhost('a.example')).toBeNull()
    const row = {
      engine: 'mariadb' as const,
      database: 'alice_a',
      user: 'alice_a',
      username: 'alice',
      locked: false,
    }
    expect(registry.addDatabase(row)).toBe(true)
    expect(registry.addDatabase(row)).toBe(false)
    expect(registry.addDatabase({ ...row, database: 'alice_b' })).toBe(false)
    registry.setDatabaseLocked('mariadb', 'alice_a', true)
    expect(registry.databasesOf('alice')).toEqual([{ ...row, locked: true }])
    registry.removeDatabase('mariadb', 'alice_a')
    expect(registry.database('mariadb', 'alice_a')).toBeNull()
  })

  it('remembers suspensions', () => {
    reserve('alice')
    const memory = { shell: '/bin/sh', passwordLocked: true, expireDay: '' }
    registry.records.setSuspended('alice', true, memory)
    expect(registry.records.find('alice')).toMatchObject({
      suspended: true,
      suspendMemory: memory,
    })
  })

  it('answers a repeated operation as before, successes and failures', async () => {
    let runs = 0
    const key = { id: 'op', kind: 'test.run', subject: 'alice' }
    const run = () =>
      runOperation(registry, key, {}, async (step) => {
        step('first')
        runs += 1
        return { runs }
      })
    expect(await run()).toEqual({ runs: 1 })
    expect(await run()).toEqual({ runs: 1 })
    expect(registry.operation(key)).toMatchObject({ state: 'done', steps: ['first'] })

    const failing = { ...key, id: 'op2' }
    let undone = 0
    const fail = () =>
      runOperation(
        registry,
        failing,
        {},
        async () => {
          throw new AppError(409, 'taken', { field: 'name' })
        },
        async () => void (undone += 1),
      )
    for (let i = 0; i < 2; i += 1)
      await expect(fail()).rejects.toMatchObject({ status: 409, message: 'taken', field: 'name' })
    expect(undone).toBe(1)
  })

  it('leaves an operation open whose undoing fails', async () => {
    const key = { id: 'op', kind: 'test.run', subject: 'alice' }
    const run = runOperation(
      registry,
      key,
      {},
      async () => Promise.reject(new Error('work')),
      async () => Promise.reject(new Error('undo')),
    )
    await expect(run).rejects.toThrow('undo')
    expect(registry.openOperations('test.')).toHaveLength(1)
    expect(registry.openOperations('other.')).toEqual([])
  })

  it('supersedes what is open of the same account', () => {
    const key = { id: 'op', kind: 'users.suspend', subject: 'alice' }
    registry.openOperation(key, {})
    registry.openOperation({ ...key, subject: 'bob' }, {})
    registry.operations.supersede('alice')
    expect(registry.openOperations('users.').map(({ subject }) => subject)).toEqual(['bob'])
  })

  it('is for one agent at a time', () => {
    expect(() => openRegistry(file())).toThrow('Another agent uses the registry')
  })
})
