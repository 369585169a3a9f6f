import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { aliceAndBobby } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const USUAL = {
  www: 'both',
  redirects: [],
  headers: [],
  error_pages: {},
  index: [],
  listing: 'rules',
  php: {},
  maintenance: { enabled: false, retry_after_secs: 3600, allow: [] },
  allow: [],
  deny: [],
  hotlink: {
    enabled: false,
    extensions: ['jpg', 'jpeg', 'png', 'gif', 'webp', 'avif', 'svg', 'mp4'],
    allow: [],
  },
  rate_limits: { rules: [], allow: [] },
  protected: [],
  folders: [],
}

const redirect = (change: object = {}) => ({
  redirects: [{ from: '/old', match: 'exact', to: '/new', status: 301, ...change }],
})
const header = (name: string, value = 'x') => ({ headers: [{ name, value }] })
const limit = (change: object = {}) => ({
  rate_limits: {
    rules: [{ path: '/login', requests: 5, per_secs: 60, burst: 10, count_hits: false, ...change }],
  },
})
const area = (change: object = {}) => ({
  protected: [
    { path: '/in', realm: 'Inside', users: [{ name: 'ann', password: 'secret-1' }], ...change },
  ],
})

const badInputs: [string, object][] = [
  ['www', { www: 'maybe' }],
  ['listing', { listing: true }],
  ['php.open_basedir', { php: { open_basedir: '/' } }],
  ['php.disable_functions', { php: { disable_functions: null } }],
  ['php.extension', { php: { extension: 'evil.so' } }],
  ['php.sendmail_path', { php: { sendmail_path: '/bin/sh' } }],
  ['php.auto_prepend_file', { php: { auto_prepend_file: '/etc/passwd' } }],
  ['php.memory_limit', { php: { memory_limit: '-1' } }],
  ['php.memory_limit', { php: { memory_limit: '64M\nopen_basedir=/' } }],
  ['php.memory_limit', { php: { memory_limit: '4G' } }],
  ['php.date.timezone', { php: { 'date.timezone': 'UTC";extension=x' } }],
  ['php.error_reporting', { php: { error_reporting: 'E_ALL' } }],
  ['redirects.0.from', redirect({ from: 'old' })],
  ['redirects.0.from', redirect({ from: '/a/../b' })],
  ['redirects.0.from', redirect({ from: '/a?b' })],
  ['redirects.0.to', redirect({ to: '//evil.example' })],
  ['redirects.0.to', redirect({ to: 'javascript:alert(1)' })],
  ['redirects.0.to', redirect({ to: 'https://user:pw@x.example/' })],
  ['redirects.0.to', redirect({ to: '/a\r\nX: y' })],
  ['redirects.0.to', redirect({ to: '/old' })],
  ['redirects.0.to', redirect({ match: 'prefix', to: '/old/below' })],
  ['redirects.0.status', redirect({ status: 200 })],
  ['redirects', { redirects: [...redirect().redirects, ...redirect().redirects] }],
  [
    'redirects',
    {
      redirects: [
        { from: '/a', match: 'exact', to: '/b', status: 302 },
        { from: '/b', match: 'exact', to: '/a', status: 302 },
      ],
    },
  ],
  ['headers.0.name', header('Set-Cookie')],
  ['headers.0.name', header('cache-control')],
  ['headers.0.name', header('Strict-Transport-Security')],
  ['headers.0.name', header('X Y')],
  ['headers.0.value', header('X-A', 'a\r\nSet-Cookie: b')],
  ['headers.0.value', header('X-A', 'ä')],
  ['headers', { headers: [...header('X-A').headers, ...header('x-a').headers] }],
  ['error_pages.404', { error_pages: { 404: '/../x.html' } }],
  ['error_pages.404', { error_pages: { 404: '/x.php' } }],
  ['index.0', { index: ['../x'] }],
  ['index.0', { index: ['.htpasswd'] }],
  ['allow.0', { allow: ['10.0.0.0/33'] }],
  ['deny.0', { deny: ['example.com'] }],
  ['deny.0', { deny: ['10.1'] }],
  ['maintenance.retry_after_secs', { maintenance: { retry_after_secs: 0 } }],
  ['maintenance.allow.0', { maintenance: { allow: ['::g'] } }],
  ['rate_limits.rules.0.path', limit({ path: 'login' })],
  ['rate_limits.rules.0.requests', limit({ requests: 0 })],
  ['rate_limits.rules.0.per_secs', limit({ per_secs: 86_401 })],
  ['rate_limits.rules.0.burst', limit({ burst: 1.5 })],
  ['rate_limits.rules.0.count_hits', limit({ count_hits: 'no' })],
  ['rate_limits.allow.0', { rate_limits: { allow: ['10.0.0.0/99'] } }],
  [
    'rate_limits.rules',
    { rate_limits: { rules: [...limit().rate_limits.rules, ...limit().rate_limits.rules] } },
  ],
  ['hotlink.extensions.0', { hotlink: { extensions: ['.jpg'] } }],
  ['hotlink.allow.0', { hotlink: { allow: ['*'] } }],
  ['folders.0.path', { folders: [{ path: 'media', folder: 'media' }] }],
  ['folders.0.path', { folders: [{ path: '/', folder: 'media' }] }],
  ['folders.0.folder', { folders: [{ path: '/media', folder: '/etc' }] }],
  ['folders.0.folder', { folders: [{ path: '/media', folder: '../bobby' }] }],
  ['folders.0.folder', { folders: [{ path: '/media', folder: 'a/../../b' }] }],
  ['folders.0.folder', { folders: [{ path: '/media', folder: '.ssh' }] }],
  ['folders', { folders: ['a', 'b'].map((folder) => ({ path: '/media', folder })) }],
  ['protected.0.path', area({ path: 'in' })],
  ['protected.0.realm', area({ realm: 'a"b' })],
  ['protected.0.users.0.name', area({ users: [{ name: 'a:b', password: 'secret-1' }] })],
  ['protected.0.users.0.password', area({ users: [{ name: 'ann', password: 'short' }] })],
  ['protected.0.users.0.password', area({ users: [{ name: 'ann', password: 'ä'.repeat(40) }] })],
  ['protected', area({ users: [{ name: 'nobody' }] })],
  [
    'protected',
    area({
      users: Array.from({ length: 21 }, (_, at) => ({ name: `u${at}`, password: 'secret-1' })),
    }),
  ],
  ['protected', { protected: [...area().protected, ...area().protected] }],
]

/** What sites do before their own rules. */
export const siteSettingsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('settings of sites', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
    })
    const change = (body: object) => alice.send('PATCH', '/api/domains/1/site', body)

    test('nothing is chosen at first', async () => {
      expect((await alice.get('/api/domains/1/site')).body.data).toEqual(USUAL)
    })

    test('what is chosen of a part that is off is kept for when it is on', async () => {
      const maintenance = { ...USUAL.maintenance, retry_after_secs: 60 }
      expect((await change({ maintenance: { retry_after_secs: 60 } })).status).toBe(200)
      expect((await alice.get('/api/domains/1/site')).body.data).toEqual({ ...USUAL, maintenance })
      await change({ maintenance: USUAL.maintenance })
    })

    test.each(badInputs)('%s is refused in %j', async (field, body) => {
      const answer = await change(body)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      expect((await alice.get('/api/domains/1/site')).body.data).toEqual(USUAL)
    })

    test('everything is kept, in one spelling, and its password is nowhere told', async () => {
      const wanted = {
        www: 'with',
        redirects: [{ from: '/shop', match: 'prefix', to: 'https://shop.example/', status: 308 }],
        headers: [{ name: 'X-Frame-Options', value: 'DENY' }],
        error_pages: { 404: '/errors/404.html' },
        index: ['start.html', 'start.html', 'index.php'],
        maintenance: { enabled: true, allow: ['192.0.2.77', '2001:DB8::/32'] },
        allow: ['10.1.2.3/8'],
        deny: ['::ffff:192.0.2.9'],
        hotlink: { enabled: true, extensions: ['png'], allow: ['*.friend.example'] },
        rate_limits: { ...limit().rate_limits, allow: ['10.1.2.3/8'] },
        folders: [{ path: '/media', folder: 'shared/media' }],
        ...area(),
      }
      const answer = await change(wanted)
      expect(answer.status).toBe(200)
      const kept = {
        ...USUAL,
        ...wanted,
        index: ['start.html', 'index.php'],
        maintenance: {
          ...wanted.maintenance,
          retry_after_secs: 3600,
          allow: ['192.0.2.77', '2001:db8::/32'],
        },
        allow: ['10.0.0.0/8'],
        deny: ['192.0.2.9'],
        rate_limits: { ...limit().rate_limits, allow: ['10.0.0.0/8'] },
        protected: [{ path: '/in', realm: 'Inside', users: [{ name: 'ann' }] }],
      }
      expect(answer.body.data).toEqual(kept)
      expect((await alice.get('/api/domains/1/site')).body.data).toEqual(kept)
      expect(JSON.stringify((await alice.get('/api/domains')).body)).not.toContain('$2b$')
    })

    test('what is absent stays, a password too; an empty list takes away', async () => {
      const users = [{ name: 'ann' }, { name: 'ben', password: 'secret-2' }]
      const answer = await change({
        ...area({ users }),
        redirects: [],
        maintenance: { enabled: false },
      })
      expect(answer.body.data).toMatchObject({
        www: 'with',
        redirects: [],
        maintenance: { enabled: false, allow: ['192.0.2.77', '2001:db8::/32'] },
        protected: [{ users: [{ name: 'ann' }, { name: 'ben' }] }],
      })
    })

    test('one is let in at a path, and no more', async () => {
      const logins = '/api/domains/1/site/logins'
      const login = { path: '/club', name: 'cat', password: 'secret-3' }
      const answer = await alice.send('PUT', logins, { ...login, realm: 'Club' })
      const club = { path: '/club', realm: 'Club', users: [{ name: 'cat' }] }
      expect((answer.body.data as { protected: object[] }).protected).toContainEqual(club)
      await alice.send('PUT', logins, { ...login, name: 'dan' })
      const of = (name: string) => `${logins}?path=%2Fclub&name=${name}`
      const less = await alice.send('DELETE', of('cat'))
      const dan = { ...club, users: [{ name: 'dan' }] }
      expect((less.body.data as { protected: object[] }).protected).toContainEqual(dan)
      expect((await alice.send('DELETE', of('cat'))).status).toBe(404)
      expect((await bobby.send('DELETE', of('dan'))).status).toBe(404)
      const none = await alice.send('DELETE', of('dan'))
      expect(JSON.stringify(none.body.data)).not.toContain('/club')
      const bad = await alice.send('PUT', logins, { ...login, path: 'club' })
      expect([bad.status, bad.headers.get('x-error-field')]).toEqual([400, 'path'])
    })

    test("PHP's settings are changed one by one, and shown with who said so", async () => {
      await alice.send('POST', '/api/files/write', {
        account_id: 1,
        path: 'public_html/.user.ini',
        content: 'post_max_size = 9M ; mine\nopcache.memory_consumption = 1\n',
      })
      await change({ php: { memory_limit: '64M', 'date.timezone': 'Europe/Berlin' } })
      const answer = await change({ php: { memory_limit: null, display_errors: '1' } })
      const php = { 'date.timezone': 'Europe/Berlin', display_errors: '1' }
      expect(answer.body.data).toMatchObject({ php })
      const shown = (await alice.get('/api/domains/1/php')).body.data as {
        settings: { name: string; value: string; source: string; own: string | null }[]
      }
      const said = shown.settings.map(({ name, value, source }) => [name, value, source])
      expect(said).toEqual([
        ['memory_limit', '256M', 'server'],
        ['post_max_size', '9M', '.user.ini'],
        ['display_errors', '1', 'domain'],
        ['date.timezone', 'Europe/Berlin', 'domain'],
      ])
      expect(shown).toMatchObject({ version: '8.2', full_version: '8.2.1', mode: 'fpm' })
      expect((await bobby.get('/api/domains/1/php')).status).toBe(404)
      await change({ php: { 'date.timezone': null, display_errors: null } })
    })

    test('a request is explained with rules that are not saved yet, and nothing is recorded', async () => {
      const path = '/api/domains/1/site/test'
      const draft = 'RewriteEngine On\nRewriteRule ^old$ /new [R=301,L]\n'
      const answer = await alice.post(path, {
        ...{ url: '/old?a=1', method: 'POST', headers: { 'user-agent': 'Probe' }, draft },
      })
      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({
        steps: [
          { kind: 'address', path: '/old', query: 'a=1', sources: ['/.htaccess'] },
          { kind: 'rule', line: 2, text: 'RewriteRule ^old$ /new [R=301,L]', outcome: 'applied' },
        ],
        outcome: { kind: 'redirect', status: 301 },
      })
      const problems = [
        [{ url: 'ftp://alice.example/' }, 'url'],
        [{ url: 'https://elsewhere.example/' }, 'url'],
        [{ url: '/', method: 'TRACE' }, 'method'],
        [{ url: '/', headers: { host: 'elsewhere.example' } }, 'headers'],
        [{ url: '/', headers: { 'X-Upper': '1' } }, 'headers'],
        [{ url: '/', headers: { 'x-lines': 'a\r\nb' } }, 'headers'],
        [{ url: '/', draft: 'ä'.repeat(65_537) }, 'draft'],
      ] as const
      for (const [body, field] of problems) {
        const { status, headers } = await alice.post(path, body)
        expect([body, status, headers.get('x-error-field')]).toEqual([body, 400, field])
      }
      expect((await bobby.post(path, { url: '/' })).status).toBe(404)
      expect((await alice.post('/api/domains/99/site/test', { url: '/' })).status).toBe(404)
    })

    test('an alias has none of its own, and no other account reads or changes them', async () => {
      const made = await shared.admin.post('/api/domains', {
        ...{ account_id: 1, domain_name: 'other.example', domain_type: 'alias' },
        document_root: '/home/alice/public_html',
      })
      const { id } = made.body.data as { id: number }
      expect((await alice.send('PATCH', `/api/domains/${id}/site`, { www: 'with' })).status).toBe(
        409,
      )
      expect((await bobby.get('/api/domains/1/site')).status).toBe(404)
      expect((await bobby.send('PATCH', '/api/domains/1/site', { www: 'both' })).status).toBe(404)
      expect((await alice.get('/api/domains/99/site')).status).toBe(404)
      expect((await change({})).status).toBe(400)
    })
  })
}
