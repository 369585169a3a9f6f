import { beforeEach, describe, expect, test } from 'vitest'
import { createAccount, newAccount } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

/** Writing all virtual hosts anew takes a while; whatever ends meanwhile must not be undone by it. */
describe('regenerate beside other changes', () => {
  let alice: number
  freshApi()
  beforeEach(async () => {
    alice = (await createAccount(admin, 'alice')).id
  })

  /** Halts the next call of a method of a port or the store, before or after it did what it does. */
  const halt = (
    target: object,
    method: string,
    when: 'before' | 'after',
  ): { reached: Promise<void>; release: () => void } => {
    const methods = target as Record<string, (...args: unknown[]) => Promise<unknown>>
    const before = methods[method]!
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    methods[method] = async (...args) => {
      methods[method] = before
      if (when === 'after') await before.apply(target, args)
      reached.resolve()
      await gate.promise
      return when === 'after' ? undefined : before.apply(target, args)
    }
    return { reached: reached.promise, release: () => gate.resolve() }
  }
  const regenerate = () => admin.post('/api/veloserve/regenerate')
  const addDomain = (name: string) =>
    admin.post('/api/domains', {
      account_id: alice,
      domain_name: name,
      domain_type: 'addon',
      document_root: `/home/alice/${name}`,
    })
  const idOf = async (name: string): Promise<number> =>
    (await api.store.domainByName(name))?.id ?? 0
  const hosts = () =>
    [...api.host.webServer.hosts.values()]
      .map(({ domain, suspended }) => (suspended ? `${domain} closed` : domain))
      .sort()
  const expectAgreement = async (expected: string[]): Promise<void> => {
    await api.background.settled()
    expect(hosts()).toEqual(expected)
    expect((await admin.get('/api/doctor')).body.data).toMatchObject({ clean: true })
  }

  test('what was changed after it had read the records stays', async () => {
    await createAccount(admin, 'closed')
    await createAccount(admin, 'gone')
    await addDomain('old.example')
    const { reached, release } = halt(api.host.ports.webServer, 'regenerate', 'before')
    const regenerated = regenerate()
    await reached
    const [, closed, gone] = (await api.store.listAccounts()).rows
    expect((await admin.post(`/api/accounts/${closed?.id}/suspend`)).status).toBe(200)
    expect((await admin.del(`/api/accounts/${gone?.id}`)).status).toBe(200)
    expect((await admin.del(`/api/domains/${await idOf('old.example')}`)).status).toBe(200)
    expect((await addDomain('new.example')).status).toBe(200)
    await createAccount(admin, 'fresh')
    release()
    expect((await regenerated).status).toBe(200)
    // At once, not only when somebody looks again: a closed site must not open for a moment.
    const wanted = ['alice.example', 'closed.example closed', 'fresh.example', 'new.example']
    expect(hosts()).toEqual(wanted)
    await expectAgreement(wanted)
  })

  test('an account whose site was just set up keeps it', async () => {
    const { reached, release } = halt(api.host.ports.webServer, 'apply', 'after')
    const created = admin.post('/api/accounts', newAccount('fresh'))
    await reached
    expect((await regenerate()).status).toBe(200)
    expect(hosts()).toEqual(['alice.example', 'fresh.example'])
    release()
    expect((await created).status).toBe(200)
    await expectAgreement(['alice.example', 'fresh.example'])
  })

  test('a domain that is just being deleted does not come back', async () => {
    await addDomain('old.example')
    const { reached, release } = halt(api.host.ports.webServer, 'apply', 'after')
    const deleted = admin.del(`/api/domains/${await idOf('old.example')}`)
    await reached
    expect((await regenerate()).status).toBe(200)
    expect(hosts()).toEqual(['alice.example'])
    release()
    expect((await deleted).status).toBe(200)
    await expectAgreement(['alice.example'])
  })

  test('a domain whose creation fails leaves no site', async () => {
    const { reached, release } = halt(api.host.ports.files, 'mkdir', 'before')
    const created = addDomain('new.example')
    await reached
    api.host.inject({ method: 'files.mkdir', when: 'before', error: new Error('no space') })
    expect((await regenerate()).status).toBe(200)
    release()
    expect((await created).status).toBe(500)
    await expectAgreement(['alice.example'])
  })

  test('what was wrong with the sites of an account that is busy is put right in its turn', async () => {
    const { reached, release } = halt(api.host.ports.databases, 'create', 'before')
    const created = admin.post('/api/databases', {
      account_id: alice,
      db_name: 'shop',
      db_password: 'long enough 1',
      engine: 'mariadb',
    })
    await reached
    const site = api.host.webServer.hosts.get('alice.example')!
    api.host.webServer.hosts.set('alice.example', { ...site, suspended: true })
    // Twice: one turn of the account serves both.
    expect((await regenerate()).status).toBe(200)
    expect((await regenerate()).status).toBe(200)
    release()
    expect((await created).status).toBe(200)
    await expectAgreement(['alice.example'])
    expect(api.host.calls.filter((call) => call === 'webServer.apply')).toHaveLength(2)
  })
})
