import { describe, expect, test } from 'vitest'
import { conflict, unavailable } from '#handlers/errors.ts'
import { createAccount, newAccount } from '#test/contract/frame/api-instance.ts'
import { readFile } from 'node:fs/promises'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

const away = () => unavailable('The host agent cannot be reached.')

describe('failures of the host', () => {
  freshApi()

  const expectNothing = async (): Promise<void> => {
    expect(await api.store.accountByName('alice')).toBeNull()
    expect(await api.store.countDomains()).toBe(0)
    expect(await api.store.openOperations()).toEqual([])
    expect(api.host.users.made.size).toBe(0)
    expect(api.host.webServer.hosts.size).toBe(0)
  }

  test.each([
    ['users.create', 'before'],
    ['users.create', 'after'],
    ['webServer.apply', 'before'],
    ['webServer.apply', 'after'],
  ] as const)('creation is undone when %s fails %s its effect', async (method, when) => {
    api.host.inject({ method, when, error: away() })
    const answer = await admin.post('/api/accounts', newAccount('alice'))
    expect(answer.status).toBe(503)
    await expectNothing()
    expect((await admin.post('/api/accounts', newAccount('alice'))).status).toBe(200)
  })

  test('an unexpected fault is a bare 500, logged with its cause', async () => {
    api.host.inject({ method: 'users.create', when: 'before', error: new Error('secret detail') })
    const answer = await admin.post('/api/accounts', newAccount('alice'))
    expect(answer.status).toBe(500)
    expect(answer.body.error).not.toContain('secret detail')
    expect(api.log.lines.join('\n')).toContain('secret detail')
    await expectNothing()
  })

  test('an undo that fails at first is tried again', async () => {
    api.host.inject({ method: 'users.create', when: 'after', error: away() })
    api.host.inject({ method: 'users.remove', when: 'before', error: away(), times: 2 })
    expect((await admin.post('/api/accounts', newAccount('alice'))).status).toBe(503)
    expect(api.host.users.made.has('alice')).toBe(true)
    await api.background.settled()
    await expectNothing()
  })

  test('an operating-system user that we did not make stays', async () => {
    const answer = await admin.post('/api/accounts', newAccount('osuser'))
    expect(answer.status).toBe(409)
    expect(answer.headers.get('x-error-field')).toBe('username')
    expect(api.host.calls).not.toContain('users.remove')
    expect(api.host.webServer.reloads).toBe(0)
    await expectNothing()
  })

  test('a refused configuration of the web server takes nothing with it', async () => {
    const { id } = await createAccount(admin, 'alice')
    const before = structuredClone([...api.host.webServer.hosts.values()])
    api.host.inject({ method: 'webServer.apply', when: 'before', error: conflict('refused') })
    const answer = await admin.post('/api/domains', {
      account_id: id,
      domain_name: 'shop.example',
      domain_type: 'addon',
      document_root: '/home/alice/shop',
    })
    expect(answer.status).toBe(409)
    expect(await api.store.domainByName('shop.example')).toBeNull()
    expect([...api.host.webServer.hosts.values()]).toEqual(before)
  })

  test.each(['webServer.apply', 'users.remove', 'databases.remove', 'webServer.purge'])(
    'a deletion that %s stops goes on later, or when asked again',
    async (method) => {
      const { id } = await createAccount(admin, 'alice')
      const database = { account_id: id, db_name: 'a', db_password: 'long enough' }
      await admin.post('/api/databases', database)
      api.host.inject({ method, when: 'before', error: away() })
      expect((await admin.del(`/api/accounts/${id}`)).status).toBe(503)
      expect((await api.store.accountById(id))?.status).toBe('deleting')
      expect((await admin.post('/api/databases', database)).status).toBe(409)
      const again = await admin.del(`/api/accounts/${id}`)
      expect(again.status).toBe(200)
      await expectNothing()
      expect(api.host.databases.made.size).toBe(0)
    },
  )

  test.each(['webServer.apply', 'users.suspend', 'databases.setLocked', 'webServer.purge'])(
    'a suspension that %s stops is finished later',
    async (method) => {
      const { id } = await createAccount(admin, 'alice')
      api.host.inject({ method, when: 'before', error: away() })
      expect((await admin.post(`/api/accounts/${id}/suspend`)).status).toBe(503)
      expect((await api.store.accountById(id))?.status).toBe('suspended')
      await api.background.settled()
      expect(api.host.users.made.get('alice')?.suspended).toBe(true)
      expect(api.host.webServer.hosts.get('alice.example')?.suspended).toBe(true)
      expect(api.host.webServer.purges).toContainEqual(['alice.example'])
      expect(await api.store.openOperations()).toEqual([])
    },
  )

  test('a lifting that cannot be finished keeps nobody from suspending or deleting', async () => {
    const { id } = await createAccount(admin, 'alice')
    await admin.post(`/api/accounts/${id}/suspend`)
    const stuck = { method: 'users.unsuspend', when: 'before', times: 1000 } as const
    api.host.inject({ ...stuck, error: conflict('the tenant made this fail') })
    expect((await admin.post(`/api/accounts/${id}/unsuspend`)).status).toBe(503)
    expect((await admin.post(`/api/accounts/${id}/suspend`)).status).toBe(200)
    expect(await api.store.openOperations()).toEqual([])
    expect((await admin.post(`/api/accounts/${id}/unsuspend`)).status).toBe(503)
    expect((await admin.del(`/api/accounts/${id}`)).status).toBe(200)
    await expectNothing()
  })

  test('a new domain touches no other site of the account', async () => {
    const { id } = await createAccount(admin, 'alice')
    const domain = (domain_name: string) =>
      admin.post('/api/domains', {
        account_id: id,
        domain_name,
        domain_type: 'addon',
        document_root: '/home/alice/shop',
      })
    const puts: string[][] = []
    const { apply } = api.host.webServer
    api.host.webServer.apply = async (input) => {
      puts.push(input.put.map((spec) => spec.domain).sort())
      await apply(input)
    }
    await domain('shop.example')
    await domain('www.alice.example')
    expect(puts).toEqual([['shop.example'], ['alice.example', 'www.alice.example']])
  })

  test('a database that fails leaves no row, one that exists elsewhere is not dropped', async () => {
    const { id } = await createAccount(admin, 'alice')
    const input = { account_id: id, db_name: 'a', db_password: 'long enough' }
    await api.host.databases.create({
      operationId: 'by-hand',
      username: 'alice',
      engine: 'mariadb',
      database: 'alice_a',
      user: 'alice_a',
      password: 'x',
    })
    expect((await admin.post('/api/databases', input)).status).toBe(409)
    expect(api.host.databases.made.has('mariadb:alice_a')).toBe(true)
    api.host.inject({ method: 'databases.create', when: 'after', error: away() })
    const other = { ...input, db_name: 'b' }
    expect((await admin.post('/api/databases', other)).status).toBe(503)
    expect(api.host.databases.made.has('mariadb:alice_b')).toBe(false)
    expect(await api.store.listDatabases(id)).toEqual([])
  })

  test('a stopped database server hides no database', async () => {
    const { id } = await createAccount(admin, 'alice')
    await admin.post('/api/databases', { account_id: id, db_name: 'a', db_password: 'long enough' })
    api.host.inject({ method: 'databases.facts', when: 'before', error: away() })
    const { status, body } = await admin.get(`/api/databases/${id}`)
    expect(status).toBe(200)
    expect(body.data).toEqual([expect.objectContaining({ database: 'alice_a', size_bytes: null })])
    api.host.databases.installed = [
      { engine: 'mariadb', version: '10.11.6', running: false, host: 'localhost' },
    ]
    const answer = await admin.post('/api/databases', {
      account_id: id,
      db_name: 'b',
      db_password: 'long enough',
    })
    expect(answer.status).toBe(503)
    expect(answer.body.error).toContain('not running')
  })

  test('a change of PHP that fails is taken back', async () => {
    const { id } = await createAccount(admin, 'alice')
    api.host.inject({ method: 'webServer.apply', when: 'before', error: away() })
    const answer = await admin.post(`/api/php/version/${id}`, { version: '8.1', mode: 'cgi' })
    expect(answer.status).toBe(503)
    expect((await admin.get(`/api/php/config/${id}`)).body.data).toEqual({
      version: '8.2',
      mode: 'fpm',
    })
    expect(api.host.php.configured.get('alice')).toEqual({ version: '8.2', mode: 'fpm' })
    expect(api.host.webServer.hosts.get('alice.example')?.php).toEqual({
      version: '8.2',
      mode: 'fpm',
    })
  })

  test('disk usage follows the host, asked at most once a minute', async () => {
    const { id } = await createAccount(admin, 'alice')
    const user = api.host.users.made.get('alice')
    if (user === undefined) throw new Error('no user')
    const used = async () => {
      const { body } = await admin.get(`/api/accounts/${id}`)
      await api.background.settled()
      return (body.data as { disk_used_mb: number }).disk_used_mb
    }
    user.usedMb = 7
    expect(await used()).toBe(0)
    user.usedMb = 8
    expect(await used()).toBe(7)
    api.clock.advanceSecs(60)
    await used()
    expect(await used()).toBe(8)
    api.clock.advanceSecs(60)
    api.host.inject({ method: 'users.diskUsedMb', when: 'before', error: away() })
    expect(await used()).toBe(8)
  })

  test('no password reaches the store or the log', async () => {
    const { id } = await createAccount(admin, 'alice')
    const secret = 'database password'
    await admin.post('/api/databases', { account_id: id, db_name: 'a', db_password: secret })
    api.host.inject({ method: 'users.create', when: 'before', error: new Error('boom') })
    await admin.post('/api/accounts', { ...newAccount('bobby'), password: 'another password' })
    const files = await Promise.all(
      [api.storeFile, `${api.storeFile}-wal`].map((file) => readFile(file, 'latin1')),
    )
    // The fake hash holds the account's password by design; the database's must be nowhere.
    expect(files.join('')).not.toContain(secret)
    const log = api.log.lines.join('\n')
    for (const word of [secret, 'another password', 'account password', 'correct horse']) {
      expect(log).not.toContain(word)
    }
  })
})
