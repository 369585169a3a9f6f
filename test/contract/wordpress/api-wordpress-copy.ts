import { beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError } from '#handlers/errors.ts'
import { foundWordpress } from '#test/fakes/wordpress/fake-wordpress.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Staging copies of WordPress, their way back, and clones. */
export const wordpressCopyContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('copies of WordPress', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
      await shared.admin.post('/api/databases', {
        ...{ account_id: 1, db_name: 'wp', db_password: 'a long password', engine: 'mysql' },
      })
    })
    beforeEach(() => {
      const { host } = shared.instance
      const has = host.wordpress.installed.get('alice') ?? []
      if (has.length === 0) host.wordpress.installed.set('alice', [foundWordpress('alice.example')])
    })

    const COPY = { path: 'public_html', domain: 'staging.alice.example' }
    const domains = async (id: number) =>
      (await shared.admin.get(`/api/domains/account/${id}`)).body.data as {
        domain_name: string
        domain_type: string
        document_root: string
      }[]
    const databases = async (id: number) =>
      ((await shared.admin.get(`/api/databases/${id}`)).body.data as { database: string }[]).map(
        ({ database }) => database,
      )

    test('a staging copy has a domain and a database of its own, and says of what it is one', async () => {
      const { host } = shared.instance
      const alice = await accountClient(shared.instance, 'alice')
      const { status, body } = await alice.post('/api/wordpress/1/staging', COPY)
      expect([status, body.data]).toEqual([
        200,
        {
          ...{ account_id: 1, domain: COPY.domain, path: COPY.domain, directory: '' },
          ...{ url: 'http://staging.alice.example/', database: 'alice_stage', new_domain: true },
          ...{ names: [], made: [] },
        },
      ])
      expect((await domains(1)).find((one) => one.domain_name === COPY.domain)).toMatchObject({
        ...{ domain_type: 'subdomain', document_root: '/home/alice/staging.alice.example' },
      })
      const [made] = host.wordpressCopy.made.values()
      expect(made).toMatchObject({
        ...{ staging: true, database: { name: 'alice_stage', user: 'alice_stage' } },
        from: { username: 'alice', path: 'public_html', url: 'http://alice.example/' },
      })
      const list = (await shared.admin.get('/api/wordpress/1?sort=path')).body.data
      expect(list).toMatchObject([
        { path: 'public_html', staging_of: null },
        { path: COPY.domain, staging_of: 'public_html' },
      ])
      const audit = JSON.stringify((await shared.admin.get('/api/audit')).body)
      expect(audit).toContain('/api/wordpress/:account_id/staging')
      expect(audit).not.toContain(made!.database.password)
    })

    test('it goes back with what was chosen, after a backup', async () => {
      const { host } = shared.instance
      const push = (order: object) =>
        shared.admin.post('/api/wordpress/1/push', { path: COPY.domain, ...order })
      const all = await push({})
      expect([all.status, all.body.data]).toMatchObject([
        200,
        {
          ...{ path: 'public_html', url: 'http://alice.example/', files: true },
          tables: ['wp_options', 'wp_posts'],
        },
      ])
      expect((await push({ files: false, tables: ['wp_posts'] })).body.data).toMatchObject({
        ...{ files: false, tables: ['wp_posts'] },
      })
      expect((await push({ database: false })).body.data).toMatchObject({ tables: [] })
      expect(host.wordpressCopy.pushed.map(({ files, tables }) => [files, tables])).toEqual([
        [true, ['wp_options', 'wp_posts']],
        [false, ['wp_posts']],
        [true, []],
      ])
      expect(host.wordpressCopy.kept.size).toBe(0)
      const refused = [
        await push({ files: false, database: false }),
        await push({ database: false, tables: ['wp_posts'] }),
        await push({ tables: [] }),
        await push({ tables: ['mysql'] }),
        await push({ unknown: 1 }),
      ]
      expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
    })

    test('its tables are told', async () => {
      const { body } = await shared.admin.get('/api/wordpress/1/tables?path=public_html')
      expect(body.data).toEqual({
        ...{ database: 'alice_wp', prefix: 'wp_' },
        tables: [
          { name: 'wp_options', rows: 1, bytes: 16_384, bound_to: [] },
          { name: 'wp_posts', rows: 1, bytes: 16_384, bound_to: [] },
        ],
      })
    })

    test('tables that foreign keys bind go together, or not at all', async () => {
      const { wordpressCopy } = shared.instance.host
      const before = wordpressCopy.tables
      const table = (name: string, bound_to: string[] = []) => ({
        ...{ name, rows: 1, bytes: 1, bound_to },
      })
      wordpressCopy.tables = [
        ...[table('wp_log', ['wp_rights']), table('wp_rights', ['wp_log', 'wp_orders'])],
        ...[table('wp_orders', ['wp_rights']), table('wp_posts')],
      ]
      const push = (order: object) =>
        shared.admin.post('/api/wordpress/1/push', { path: COPY.domain, files: false, ...order })
      const alone = await push({ tables: ['wp_log'] })
      const all = await push({ tables: ['wp_log'], with_bound: true })
      const free = await push({ tables: ['wp_posts'] })
      wordpressCopy.tables = before
      expect([alone.status, alone.body.error]).toEqual([
        ...[400, expect.stringMatching(/^tables: foreign keys bind wp_rights, wp_orders to/)],
      ])
      expect([all.status, all.body.data]).toMatchObject([
        ...[200, { tables: ['wp_log', 'wp_rights', 'wp_orders'] }],
      ])
      expect(free.body.data).toMatchObject({ tables: ['wp_posts'] })
    })

    test('a site that fails after a push is told to be as it was', async () => {
      const { host } = shared.instance
      host.wordpressCopy.fails = 'WordPress: The site fails.'
      const { status, body } = await shared.admin.post('/api/wordpress/1/push', {
        path: COPY.domain,
      })
      host.wordpressCopy.fails = null
      expect([status, body.error]).toEqual([
        409,
        'The site is as it was. WordPress: The site fails.',
      ])
    })

    test('what is no copy, or whose site is gone, does not go back', async () => {
      const live = await shared.admin.post('/api/wordpress/1/push', { path: 'public_html' })
      expect([live.status, live.body.error]).toEqual([
        409,
        expect.stringContaining('no staging copy'),
      ])
      const { installed } = shared.instance.host.wordpress
      const all = installed.get('alice') ?? []
      installed.set(
        'alice',
        all.filter(({ path }) => path !== 'public_html'),
      )
      const gone = await shared.admin.post('/api/wordpress/1/push', { path: COPY.domain })
      expect(gone.status).toBe(404)
      installed.set('alice', all)
    })

    test('what fails takes its database and its domain with it', async () => {
      const { host } = shared.instance
      const before = [(await domains(1)).length, await databases(1)]
      const error = new AppError(413, 'The copy needs 90 MB, which is not left.')
      host.inject({ method: 'wordpressCopy.copy', when: 'before', error })
      const failed = await shared.admin.post('/api/wordpress/1/staging', {
        ...COPY,
        domain: 'two.alice.example',
      })
      expect([failed.status, failed.body.error]).toEqual([413, error.message])
      expect([(await domains(1)).length, await databases(1)]).toEqual(before)
      expect(host.webServer.hosts.has('two.alice.example')).toBe(false)
    })

    test.each([
      ['domain', { domain: 'not a name' }, 400],
      ['domain', { domain: '*.alice.example' }, 400],
      ['document_root', { document_root: '/home/alice/elsewhere' }, 400],
      ['directory', { directory: '../x', domain: 'three.alice.example' }, 400],
      ['db_name', { db_name: 'A-B', domain: 'three.alice.example' }, 400],
      ['bobby.example', { domain: 'bobby.example' }, 409],
      ['No WordPress', { path: 'nowhere', domain: 'three.alice.example' }, 404],
    ])('refuses a bad %s', async (what, change, status) => {
      const answer = await shared.admin.post('/api/wordpress/1/staging', { ...COPY, ...change })
      expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(what)])
      expect((await domains(1)).map(({ domain_name }) => domain_name)).not.toContain(
        'three.alice.example',
      )
    })

    test('sites of a network get names below that of the copy, made with it and taken back with it', async () => {
      const { host } = shared.instance
      const network = (...names: string[]) => {
        host.wordpressCopy.network = { domain: 'alice.example', path: '/', names }
      }
      const stage = (order: object) =>
        shared.admin.post('/api/wordpress/1/staging', { ...COPY, ...order })
      const names = async () => (await domains(1)).map(({ domain_name }) => domain_name)
      const before = await names()
      network('shop.alice.example', 'brand.test', 'bobby.example')
      const error = new AppError(413, 'The copy needs 90 MB, which is not left.')
      host.inject({ method: 'wordpressCopy.copy', when: 'before', error })
      expect((await stage({ domain: 'net.alice.example' })).status).toBe(413)
      expect(await names()).toEqual(before)
      expect([...host.webServer.hosts.keys()].filter((name) => name.includes('net.'))).toEqual([])

      const { status, body } = await stage({ domain: 'net.alice.example' })
      const made = ['shop', 'brand-test', 'bobby-example'].map((one) => `${one}.net.alice.example`)
      expect([status, body.data]).toMatchObject([
        200,
        { made, names: [{ from: 'shop.alice.example', to: `http://${made[0]}/` }, {}, {}] },
      ])
      expect((await domains(1)).filter((one) => made.includes(one.domain_name))).toMatchObject(
        made.map(() => ({
          ...{ domain_type: 'alias', document_root: '/home/alice/net.alice.example' },
        })),
      )
      expect([...host.wordpressCopy.made.values()].at(-1)?.names[1]).toEqual({
        ...{ name: 'brand.test', url: `http://${made[1]}` },
      })

      const bad = await stage({ domain: 'four.alice.example', directory: 'try' })
      network('a b', 'x')
      const hostile = await stage({ domain: 'four.alice.example' })
      network(...Array.from({ length: 51 }, (_, n) => `s${n}.alice.example`))
      const many = await stage({ domain: 'four.alice.example' })
      expect([bad, hostile, many].map((one) => [one.status, one.body.error])).toEqual([
        [400, expect.stringContaining('directory')],
        [409, expect.stringContaining('"a?b"')],
        [409, expect.stringContaining('*.four.alice.example')],
      ])
      const one = await stage({ domain: 'four.alice.example', wildcard: true })
      host.wordpressCopy.network = null
      expect([one.status, one.body.data]).toMatchObject([200, { made: ['*.four.alice.example'] }])
      expect((one.body.data as { names: unknown[] }).names).toHaveLength(51)
      expect(host.webServer.hosts.get('four.alice.example')?.aliases).toContain(
        '*.four.alice.example',
      )
    })

    test('a clone becomes the other account’s, for who may change both', async () => {
      const { host } = shared.instance
      const order = { path: 'public_html', to_account_id: 2, domain: 'shop.bobby.example' }
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.post('/api/wordpress/1/clone', order)).status).toBe(404)
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.post('/api/wordpress/1/clone', order)).status).toBe(404)
      expect(await databases(2)).toEqual([])
      const { status, body } = await shared.admin.post('/api/wordpress/1/clone', order)
      expect([status, body.data]).toMatchObject([
        200,
        { account_id: 2, database: 'bobby_wp', path: 'shop.bobby.example' },
      ])
      expect([...host.wordpressCopy.made.values()].at(-1)).toMatchObject({
        staging: false,
        from: { username: 'alice' },
        to: { username: 'bobby' },
      })
      const list = (await bobby.get('/api/wordpress/2')).body.data
      expect(list).toMatchObject([{ path: 'shop.bobby.example', staging_of: null }])
    })
  })
}
