import { beforeAll, expect, test } from 'vitest'
import { foundWordpress } from '#test/fakes/wordpress/fake-wordpress.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Updates of plugins and themes of WordPress. */
export const wordpressExtensionsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('wordpress extensions', makeInstance, (shared) => {
    const path = 'public_html/blog'
    const at = '/api/wordpress/1/updates'
    const plugin = (slug: string, version: string, newest: string | null) => ({
      ...{ slug, name: `The ${slug}`, version, newest },
    })
    const site = () => shared.instance.host.wordpress.installed.get('alice')![0]!
    const versions = () => site().plugins.map(({ version }) => version)

    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
      await shared.admin.post('/api/wordpress/1', {
        ...{ domain: 'alice.example', directory: 'blog', title: 'Alice', admin_user: 'chief' },
        ...{ admin_email: 'chief@mail.example', admin_password: 'only the site knows' },
      })
      site().plugins = [
        plugin('akismet', '4.0', '5.0.1'),
        plugin('shop', '1.0', '1.1'),
        plugin('own', '1.0', null),
        plugin('new', '2.0', '1.9'),
      ]
      const { wordpressExtensions } = shared.instance.host
      wordpressExtensions.offered = [
        { kind: 'plugin', slug: 'shop', version: '1.2' },
        { kind: 'plugin', slug: 'akismet', version: '5.0.1' },
        { kind: 'theme', slug: 'old', version: '1.0' },
      ]
      wordpressExtensions.further = [{ kind: 'plugin', slug: 'own', version: '1.1' }]
    })

    test('archives on this host are told to administrators, and why one is refused', async () => {
      const holds = { kind: 'plugin' as const, slug: 'a', name: 'A', version: '1.0' }
      shared.instance.host.wordpressExtensions.placed = [
        { file: '/srv/a.zip', holds, problem: null },
        { file: '/srv/b.zip', holds: null, problem: 'it holds a link' },
      ]
      const { body } = await shared.admin.get('/api/wordpress/packages')
      expect(body.data).toEqual([
        { file: '/srv/a.zip', ...holds, problem: null },
        {
          ...{ file: '/srv/b.zip', kind: null, slug: null, name: null, version: null },
          problem: 'it holds a link',
        },
      ])
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/wordpress/packages')).status).toBe(403)
    })

    test('what can be updated is told with where it comes from, and asked for anew', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const { body } = await alice.get(`${at}?path=${path}`)
      const usual = [
        {
          ...{ kind: 'plugin', slug: 'akismet', name: 'The akismet', version: '4.0' },
          ...{ newest: '5.0.1', origin: 'placed' },
        },
        {
          ...{ kind: 'plugin', slug: 'shop', name: 'The shop', version: '1.0' },
          ...{ newest: '1.2', origin: 'offered' },
        },
      ]
      expect(body.data).toEqual({ updates: usual, asked: false })
      const asked = await alice.post(`${at}/ask`, { path })
      expect(asked.body.data).toMatchObject({
        asked: true,
        updates: [...usual, { slug: 'own', newest: '1.1', origin: 'offered' }],
      })
      expect((await alice.get(`/api/wordpress/2/updates?path=${path}`)).status).toBe(404)
      expect((await alice.get(`${at}?path=public_html/x`)).status).toBe(404)
    })

    test('chosen ones are updated after a snapshot, and what fails is told beside the others', async () => {
      const { host } = shared.instance
      host.wordpressExtensions.broken.add('akismet')
      const { status, body } = await shared.admin.post(at, { path, plugins: ['akismet', 'shop'] })
      const { backup, results } = body.data as { backup: string; results: unknown[] }
      expect([status, results]).toEqual([
        200,
        [
          {
            ...{ kind: 'plugin', slug: 'akismet', from: '4.0', to: '5.0.1', outcome: 'failed' },
            error: expect.stringContaining('The site fails'),
          },
          {
            ...{ kind: 'plugin', slug: 'shop', from: '1.0', to: '1.2', outcome: 'updated' },
            error: null,
          },
        ],
      ])
      expect(versions()).toEqual(['4.0', '1.2', '1.0', '2.0'])
      expect(host.wordpressUpdate.undo.size).toBe(0)
      const { body: made } = await shared.admin.get('/api/backups/snapshots/accounts/1')
      expect((made.data as { id: string }[]).map(({ id }) => id)).toContain(backup)
      host.wordpressExtensions.broken.clear()
    })

    test('all that are outdated are updated, and without any nothing is done', async () => {
      const { body } = await shared.admin.post(at, { path })
      expect(body.data).toMatchObject({ results: [{ slug: 'akismet' }, { slug: 'own' }] })
      expect(versions()).toEqual(['5.0.1', '1.2', '1.1', '2.0'])
      const none = await shared.admin.post(at, { path })
      expect(none.body.data).toEqual({ path, backup: null, results: [] })
      const audit = JSON.stringify((await shared.admin.get('/api/audit')).body)
      expect(audit).toContain('/api/wordpress/:account_id/updates')
    })

    test.each([
      ['plugins', { plugins: ['other'] }],
      ['plugins', { plugins: ['../x'] }],
      ['plugins', { plugins: 'akismet' }],
      ['themes', { themes: ['.x'] }],
      ['plugin', { plugin: ['akismet'] }],
    ])('refuses bad %s and names them', async (field, order) => {
      const { status, body } = await shared.admin.post(at, { path, ...order })
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    })

    test('nothing is done in a site that fails, is not of the account, or is suspended', async () => {
      const { host } = shared.instance
      site().plugins[0]!.version = '4.0'
      host.wordpressUpdate.databaseOf = () => 'elsewhere'
      expect((await shared.admin.post(at, { path })).status).toBe(409)
      host.wordpressUpdate.databaseOf = (username) => `${username}_wp`
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.post(at, { path })).status).toBe(404)
      host.wordpress.installed.set('bobby', [foundWordpress('bobby.example')])
      await shared.admin.post('/api/accounts/1/suspend')
      expect((await shared.admin.post(at, { path })).status).toBe(409)
      expect(versions()[0]).toBe('4.0')
    })
  })
}
