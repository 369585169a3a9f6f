import { beforeAll, expect, test } from 'vitest'
import { AppError } from '#handlers/errors.ts'
import { foundWordpress } from '#test/fakes/wordpress/fake-wordpress.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** WordPress in the sites of accounts. */
export const wordpressContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('wordpress', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
    })

    test('what can be installed is told to everybody', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const { status, body } = await alice.get('/api/wordpress/sources')
      expect([status, body.data]).toEqual([200, shared.instance.host.wordpress.placed])
    })

    test('an account without any has an empty list, and another one is not told of', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/wordpress/1')).body.data).toEqual([])
      expect((await alice.get('/api/wordpress/2')).status).toBe(404)
      expect((await shared.admin.get('/api/wordpress/99')).status).toBe(404)
    })

    test('what was found is listed with its address and what is outdated', async () => {
      const old = foundWordpress('bobby.example', '6.1.1')
      const shop = { ...foundWordpress('bobby.example'), path: 'public_html/my shop' }
      shared.instance.host.wordpress.installed.set('bobby', [
        { ...shop, directory: 'my shop' },
        old,
      ])
      const { body, headers } = await shared.admin.get('/api/wordpress/2?sort=path&per_page=1')
      expect(headers.get('x-total-count')).toBe('2')
      expect(body.data).toEqual([
        {
          ...old,
          url: 'http://bobby.example/',
          outdated_core: true,
          outdated: true,
          plugins: [{ ...old.plugins[0], outdated: false }],
          themes: [{ ...old.themes[0], outdated: false }],
        },
      ])
      const current = await shared.admin.get('/api/wordpress/2?outdated=false')
      expect(current.body.data).toMatchObject([
        { directory: 'my shop', url: 'http://bobby.example/my%20shop/', outdated: false },
      ])
    })

    test('a plugin that is behind makes the whole outdated', async () => {
      const one = foundWordpress('bobby.example')
      const plugins = [{ ...one.plugins[0]!, version: '4.9' }]
      shared.instance.host.wordpress.installed.set('bobby', [{ ...one, plugins }])
      const { body } = await shared.admin.get('/api/wordpress/2')
      expect(body.data).toMatchObject([{ outdated: true, plugins: [{ outdated: true }] }])
    })

    const NEW = {
      ...{ domain: 'alice.example', title: 'Alice & Co', admin_user: 'chief' },
      ...{ admin_email: 'chief@mail.example', admin_password: 'only the site knows' },
    }

    test('a WordPress is installed with a database, and told of without its passwords', async () => {
      const { host } = shared.instance
      const { status, body } = await shared.admin.post('/api/wordpress/1', {
        ...{ ...NEW, directory: 'blog', locale: 'de_DE' },
      })
      expect([status, body.data]).toEqual([
        200,
        {
          ...{ domain: 'alice.example', path: 'public_html/blog', directory: 'blog' },
          ...{ url: 'http://alice.example/blog/', version: '6.1.6' },
          ...{ database: 'alice_wp', user: 'chief' },
        },
      ])
      const [made] = host.wordpressInstall.made.values()
      expect(made).toMatchObject({
        site: { title: 'Alice & Co', locale: 'de_DE', user: 'chief' },
        database: { name: 'alice_wp', user: 'alice_wp', host: 'localhost' },
      })
      expect(host.databases.made.get('mariadb:alice_wp')?.password).toBe(made?.database.password)
      const { body: list } = await shared.admin.get('/api/wordpress/1')
      expect(list.data).toMatchObject([{ path: 'public_html/blog', version: '6.1.6' }])
      const everything = JSON.stringify([
        (await shared.admin.get('/api/audit')).body,
        (await shared.admin.get('/api/databases/1')).body,
      ])
      expect(everything).toContain('/api/wordpress/:account_id')
      expect(everything).not.toContain(NEW.admin_password)
      expect(everything).not.toContain(made!.database.password)
    })

    test('the next one has a database of its own, and a taken folder nothing is made for', async () => {
      const again = await shared.admin.post('/api/wordpress/1', { ...NEW, directory: 'blog' })
      expect(again.status).toBe(409)
      const next = await shared.admin.post('/api/wordpress/1', { ...NEW, directory: 'shop' })
      expect(next.body.data).toMatchObject({ database: 'alice_wp2', path: 'public_html/shop' })
      const { body } = await shared.admin.get('/api/databases/1')
      expect((body.data as unknown[]).length).toBe(2)
    })

    test('what fails takes its database with it', async () => {
      const { host } = shared.instance
      const error = new AppError(409, 'WordPress: no.')
      host.inject({ method: 'wordpressInstall.install', when: 'before', error })
      const failed = await shared.admin.post('/api/wordpress/2', {
        ...NEW,
        ...{ domain: 'bobby.example', directory: 'new' },
      })
      expect([failed.status, failed.body.error]).toEqual([409, 'WordPress: no.'])
      expect((await shared.admin.get('/api/databases/2')).body.data).toEqual([])
      expect(host.databases.made.has('mariadb:bobby_wp')).toBe(false)
    })

    test.each([
      ['domain', { domain: undefined }],
      ['directory', { directory: '../etc' }],
      ['directory', { directory: '/a' }],
      ['directory', { directory: 'a/b/c' }],
      ['directory', { directory: '.hidden' }],
      ['version', { version: '1.0' }],
      ['locale', { locale: 'fr_FR' }],
      ['locale', { version: '6.1.5' }],
      ['locale', { version: '6.1.6', locale: 'pt_BR' }],
      ['locale', { locale: 'de DE' }],
      ['title', { title: '' }],
      ['title', { title: 'a\nb' }],
      ['admin_user', { admin_user: 'a<b' }],
      ['admin_email', { admin_email: 'nobody' }],
      ['admin_password', { admin_password: 'short' }],
      ['db_name', { db_name: 'A-B' }],
    ])('refuses a bad %s and names it', async (field, change) => {
      const { status, body } = await shared.admin.post('/api/wordpress/1', {
        ...{ ...NEW, directory: 'bad' },
        ...change,
      })
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    })

    test('it goes into sites of the account alone, and by its limits', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const other = { ...NEW, domain: 'bobby.example', directory: 'x' }
      expect((await alice.post('/api/wordpress/1', other)).status).toBe(404)
      expect((await alice.post('/api/wordpress/2', other)).status).toBe(404)
      for (const directory of ['c', 'd', 'e'])
        expect((await alice.post('/api/wordpress/1', { ...NEW, directory })).status).toBe(200)
      const more = await alice.post('/api/wordpress/1', { ...NEW, directory: 'f' })
      expect(more.status).toBe(403)
    })

    test('its administrators are told, and a log-in is an address with a ticket behind the #', async () => {
      const { host } = shared.instance
      const path = 'public_html/blog'
      const alice = await accountClient(shared.instance, 'alice')
      const query = encodeURIComponent(path)
      const { body } = await alice.get(`/api/wordpress/1/administrators?path=${query}`)
      expect(body.data).toEqual(host.wordpressLogin.people)
      const first = await alice.post('/api/wordpress/1/login', { path })
      expect(first.body.data).toEqual({
        url: 'http://alice.example/.well-known/berth-login#ticket-1',
        user: 'chief',
      })
      expect(host.wordpressLogin.tickets.get('ticket-1')).toBe(1)
      const second = await alice.post('/api/wordpress/1/login', { path, user: 'second' })
      expect(second.body.data).toMatchObject({ user: 'second' })
      expect(host.wordpressLogin.tickets.get('ticket-2')).toBe(7)
      const nobody = await alice.post('/api/wordpress/1/login', { path, user: 'nobody' })
      expect(nobody.status).toBe(404)
      expect((await alice.post('/api/wordpress/1/login', { path: 'public_html/x' })).status).toBe(
        404,
      )
      expect((await alice.post('/api/wordpress/2/login', { path })).status).toBe(404)
      const audit = JSON.stringify((await shared.admin.get('/api/audit')).body)
      expect(audit).toContain('/api/wordpress/:account_id/login')
      expect(audit).not.toContain('ticket-1')
    })

    test('its settings are shown and changed, with a cron job in place of visitors', async () => {
      const path = 'public_html/blog'
      const at = '/api/wordpress/1/settings'
      const usual = { debug: false, cron: 'visitors' }
      expect((await shared.admin.get(`${at}?path=${path}`)).body.data).toEqual(usual)
      const change = async (body: object) => {
        const answer = await shared.admin.send('PATCH', at, { path, ...body })
        return answer.status === 200 ? answer.body.data : answer.status
      }
      expect(await change({ debug: true })).toEqual({ ...usual, debug: true })
      for (let twice = 0; twice < 2; twice++)
        expect(await change({ cron: 'berth' })).toEqual({ debug: true, cron: 'berth' })
      const jobs = async () => (await shared.admin.get('/api/cron/1')).body.data as { id: number }[]
      expect(await jobs()).toMatchObject([
        { command: ['php', `${path}/wp-cron.php`], enabled: true },
      ])
      await shared.admin.send('PATCH', `/api/cron/1/${(await jobs())[0]?.id}`, { enabled: false })
      expect((await shared.admin.get(`${at}?path=${path}`)).body.data).toMatchObject({
        cron: 'none',
      })
      expect(await change({ cron: 'berth' })).toMatchObject({ cron: 'berth' })
      expect(await change({ cron: 'visitors', debug: false })).toEqual(usual)
      expect(await jobs()).toEqual([])
      expect(await change({})).toBe(400)
      expect(await change({ cron: 'nobody' })).toBe(400)
    })

    test('a password is set and held by the site alone, and not by an administrator who visits', async () => {
      const { host } = shared.instance
      const path = 'public_html/blog'
      const at = '/api/wordpress/1/password'
      const password = 'a new long password'
      const set = await shared.admin.post(at, { path, password, user: 'second' })
      expect(set.body.data).toEqual({ user: 'second' })
      expect(host.wordpressCare.passwords.get(7)).toBe(password)
      expect((await shared.admin.post(at, { path, password: 'short' })).status).toBe(400)
      expect((await shared.admin.post(at, { path, password, user: 'no' })).status).toBe(404)
      expect(JSON.stringify((await shared.admin.get('/api/audit')).body)).not.toContain(password)
    })

    test('its core is compared, and its address replaced', async () => {
      const { host } = shared.instance
      const path = 'public_html/blog'
      const found = await shared.admin.get(`/api/wordpress/1/integrity?path=${path}`)
      expect(found.body.data).toEqual(host.wordpressCare.found)
      const at = '/api/wordpress/1/address'
      const to = 'https://alice.example/blog'
      const dry = await shared.admin.post(at, { path, to: `${to}/`, dry_run: true })
      expect(dry.body.data).toEqual({
        ...{ from: 'http://alice.example/blog', to, rows: 3, values: 4, skipped: [] },
      })
      expect(host.wordpressCare.replaced.at(-1)).toMatchObject({ to, dryRun: true })
      const same = await shared.admin.post(at, { path, to: 'http://alice.example/blog/' })
      expect(same.status).toBe(400)
      for (const bad of ['alice.example', 'ftp://a.example', "http://a.example/'", 'http://a b'])
        expect((await shared.admin.post(at, { path, to: bad })).status).toBe(400)
    })

    test('its core is updated after a snapshot, and what fails is put back', async () => {
      const { host } = shared.instance
      const path = 'public_html/blog'
      const at = '/api/wordpress/1/update'
      const site = () => host.wordpress.installed.get('alice')!.find((one) => one.path === path)!
      const refused = await shared.admin.post(at, { path })
      expect([refused.status, refused.body.error]).toEqual([
        ...[400, expect.stringContaining('must be newer than 6.1.6')],
      ])
      site().version = '5.9'
      host.wordpressUpdate.fails = { after: 'exchange', why: 'WordPress: It fails.' }
      const failed = await shared.admin.post(at, { path })
      expect([failed.status, failed.body.error]).toEqual([
        ...[409, expect.stringMatching(/put back as it was.*It fails/)],
      ])
      expect(site().version).toBe('5.9')
      host.wordpressUpdate.fails = { after: 'upgrade', why: 'WordPress: It fails.' }
      const before = host.calls.length
      expect((await shared.admin.post(at, { path })).status).toBe(409)
      expect(site().version).toBe('5.9')
      // Its tables were changed already.
      expect(host.calls.slice(before).filter((call) => call === 'snapshots.start').length).toBe(2)
      host.wordpressUpdate.fails = null
      const { body } = await shared.admin.post(at, { path })
      expect(body.data).toMatchObject({ path, from: '5.9', to: '6.1.6' })
      expect([site().version, host.wordpressUpdate.kept.size]).toEqual(['6.1.6', 0])
      const { backup } = body.data as { backup: string }
      const { body: made } = await shared.admin.get('/api/backups/snapshots/accounts/1')
      expect((made.data as { id: string }[]).map(({ id }) => id)).toContain(backup)
    })

    test('a site with a database that is not the account’s is not updated', async () => {
      const { host } = shared.instance
      const [site] = host.wordpress.installed.get('alice')!
      site!.version = '5.9'
      host.wordpressUpdate.databaseOf = () => 'elsewhere'
      const order = { path: site!.path }
      expect((await shared.admin.post('/api/wordpress/1/update', order)).status).toBe(409)
      expect(site!.version).toBe('5.9')
      host.wordpressUpdate.databaseOf = (username) => `${username}_wp`
    })

    test('a suspended account lets nobody in', async () => {
      await shared.admin.post('/api/accounts/1/suspend')
      const path = 'public_html/blog'
      expect((await shared.admin.post('/api/wordpress/1/login', { path })).status).toBe(409)
      expect((await shared.admin.post('/api/wordpress/1', { ...NEW, directory: 'y' })).status).toBe(
        409,
      )
      await shared.admin.post('/api/accounts/1/unsuspend')
    })
  })
}
