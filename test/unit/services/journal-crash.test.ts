import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adminClient, createAccount, newAccount } from '#test/contract/api-instance.ts'
import type { ApiClient } from '#test/contract/api-instance.ts'
import type { NodeApi } from '#test/node/contract/api-node.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'

const DEAD = new Error('the panel died here')

/** What panel, host and web server hold of the account `alice`. */
const traces = async (api: NodeApi) => ({
  row: (await api.store.accountByName('alice'))?.status ?? null,
  domains: (await api.store.listDomains({ q: 'alice' })).total,
  user: api.host.users.made.has('alice'),
  home: api.host.files.trees.has('alice'),
  vhosts: [...api.host.webServer.hosts.keys()].filter((name) => name.includes('alice')).length,
  databases: [...api.host.databases.made.values()].filter(({ username }) => username === 'alice')
    .length,
  open: (await api.store.openOperations()).length,
})

const NOTHING = {
  row: null,
  domains: 0,
  user: false,
  home: false,
  vhosts: 0,
  databases: 0,
  open: 0,
}

/**
 * Lets the panel die at the n-th write to its store or call to the host: from
 * then on everything fails, as it does for a process that is gone.
 */
const dieAt = (api: NodeApi, nth: number): { died(): boolean; revive(): void } => {
  let calls = 0
  let armed = true
  const tick = (): void => {
    if (!armed) return
    calls++
    if (calls >= nth) throw DEAD
  }
  const patch = (target: object, names: string[]): (() => void)[] =>
    names.map((name) => {
      const original: unknown = Reflect.get(target, name)
      if (typeof original !== 'function') throw new Error(`no method ${name}`)
      Reflect.set(target, name, async (...input: unknown[]): Promise<unknown> => {
        tick()
        const result: unknown = await Reflect.apply(original, target, input)
        // Half the deaths come after the effect, before the answer is seen.
        tick()
        return result
      })
      return () => void Reflect.set(target, name, original)
    })
  const undo = [
    ...patch(api.store, [
      'insertAccount',
      'transitAccount',
      'updateAccount',
      'deleteAccount',
      'insertDomain',
      'insertDatabase',
      'deleteDomain',
      'deleteDatabase',
      'openOperation',
      'recordStep',
      'closeOperation',
    ]),
    ...patch(api.host.users, ['create', 'remove', 'suspend', 'unsuspend', 'operation']),
    ...patch(api.host.webServer, ['apply', 'purge']),
    ...patch(api.host.databases, ['create', 'remove', 'setLocked']),
    ...patch(api.host.files, ['mkdir']),
  ]
  return {
    died: () => calls >= nth,
    revive() {
      armed = false
      for (const restore of undo) restore()
    },
  }
}

describe('death of the panel at every point', () => {
  let api: NodeApi
  let admin: ApiClient
  beforeEach(async () => {
    // The dead process runs nothing in the background either.
    api = await makeNodeApi({ background: { run: () => undefined } })
    admin = await adminClient(api)
  })
  afterEach(() => api.close())

  const points = Array.from({ length: 26 }, (_, index) => index + 1)

  /** Runs `act`, killed at `point`; answers whether it was acknowledged, after a restart has settled. */
  const killed = async (
    point: number,
    act: () => Promise<{ status: number }>,
  ): Promise<boolean> => {
    const death = dieAt(api, point)
    const { status } = await act()
    death.revive()
    await api.restart().settleOpenOperations()
    return status === 200
  }

  test.each(points)('creation of an account, point %i: all or nothing', async (point) => {
    const acknowledged = await killed(point, () => admin.post('/api/accounts', newAccount('alice')))
    const after = await traces(api)
    // Death between the last write and the answer: whole, though nobody was told.
    const whole = { ...NOTHING, row: 'active', domains: 1, user: true, home: true, vhosts: 1 }
    expect([whole, NOTHING]).toContainEqual(after)
    if (acknowledged) expect(after).toEqual(whole)
  })

  test.each(points)('deletion, point %i: nothing, or as if never asked', async (point) => {
    const { id } = await createAccount(admin, 'alice')
    await admin.post('/api/databases', { account_id: id, db_name: 'a', db_password: 'long enough' })
    const before = await traces(api)
    const acknowledged = await killed(point, () => admin.del(`/api/accounts/${id}`))
    const after = await traces(api)
    if (acknowledged || after.row === null) expect(after).toEqual(NOTHING)
    else expect(after).toEqual(before)
  })

  test.each(points)('suspension, point %i: whole, or as if never asked', async (point) => {
    const { id } = await createAccount(admin, 'alice')
    await admin.post('/api/databases', { account_id: id, db_name: 'a', db_password: 'long enough' })
    const acknowledged = await killed(point, () => admin.post(`/api/accounts/${id}/suspend`))
    const suspended = (await api.store.accountById(id))?.status === 'suspended'
    if (acknowledged) expect(suspended).toBe(true)
    expect(api.host.users.made.get('alice')?.suspended).toBe(suspended)
    expect(api.host.webServer.hosts.get('alice.example')?.suspended).toBe(suspended)
    expect([...api.host.databases.made.values()].every(({ locked }) => locked === suspended)).toBe(
      true,
    )
    expect((await api.store.openOperations()).length).toBe(0)
  })

  test.each(points)('lifting, point %i: whole, or as if never asked', async (point) => {
    const { id } = await createAccount(admin, 'alice')
    await admin.post(`/api/accounts/${id}/suspend`)
    await killed(point, () => admin.post(`/api/accounts/${id}/unsuspend`))
    const suspended = (await api.store.accountById(id))?.status === 'suspended'
    expect(api.host.users.made.get('alice')?.suspended).toBe(suspended)
    expect(api.host.webServer.hosts.get('alice.example')?.suspended).toBe(suspended)
    expect((await api.store.openOperations()).length).toBe(0)
  })

  test.each(points)('creation and deletion of a domain, point %i', async (point) => {
    const { id } = await createAccount(admin, 'alice')
    const input = {
      account_id: id,
      domain_name: 'www.alice.example',
      domain_type: 'subdomain',
      document_root: '/home/alice/www',
    }
    const acknowledged = await killed(point, () => admin.post('/api/domains', input))
    const row = await api.store.domainByName('www.alice.example')
    const made = row !== null
    if (acknowledged) expect(made).toBe(true)
    expect(api.host.webServer.hosts.has('www.alice.example')).toBe(made)
    expect(api.host.webServer.hosts.get('alice.example')?.aliases).toEqual(
      made ? [] : ['www.alice.example'],
    )
    if (row === null) return
    await killed(point, () => admin.del(`/api/domains/${row.id}`))
    const still = (await api.store.domainByName('www.alice.example')) !== null
    expect(api.host.webServer.hosts.has('www.alice.example')).toBe(still)
    expect((await api.store.openOperations()).length).toBe(0)
  })

  test.each(points)('creation of a database, point %i', async (point) => {
    const { id } = await createAccount(admin, 'alice')
    const acknowledged = await killed(point, () =>
      admin.post('/api/databases', { account_id: id, db_name: 'a', db_password: 'long enough' }),
    )
    const rows = (await api.store.listDatabases(id)).length
    if (acknowledged) expect(rows).toBe(1)
    expect(await traces(api)).toMatchObject({ databases: rows, open: 0 })
  })
})
