import { beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const BASE = '/api/ssl'
const PEM = { certificate: 'x', private_key: 'y' }

const record = (domain: string, san: string[]) => ({
  domain,
  source: 'acme',
  san,
  subject: `CN=${domain}`,
  issuer: 'CN=Fake Authority',
  serial: expect.any(String),
  issued_at: expect.any(String),
  expires_at: expect.any(String),
  days_remaining: expect.any(Number),
  status: 'valid',
  self_signed: false,
  renewal_due: false,
  renews_at: expect.any(String),
  renewal_window: null,
  files: {
    certificate: expect.stringContaining(`/${domain}/`),
    key: expect.stringContaining(`/${domain}/`),
    chain: expect.stringContaining(`/${domain}/`),
  },
  challenge: null,
  last_error: null,
})

const badProvisions: [string, Record<string, unknown>][] = [
  ['domain', { domain: undefined }],
  ['domain', { domain: 5 }],
  ['domain', { domain: '*.alice.example' }],
  ['domain', { domain: 'a b' }],
  ['domain', { domain: '192.0.2.7' }],
  ['webroot', { webroot: 7 }],
  ['webroot', { webroot: '/etc' }],
  ['webroot', { webroot: '/home/bob/public_html' }],
  ['webroot', { webroot: '/home/alice/../bob' }],
  ['webroot', { webroot: 'public_html' }],
  ['webroot', { webroot: '/home/alice2' }],
  ['force', { force: 'yes' }],
  ['redirect_https', { redirect_https: 1 }],
  ['challenge_type', { challenge_type: 'tls-alpn-01' }],
]

interface DomainData {
  domain_name: string
  ssl_status: string
  ssl_expires_at: string | null
  redirect_https: boolean
}

const domainsOf = async (client: ApiClient): Promise<Map<string, DomainData>> => {
  const { body } = await client.get('/api/domains')
  return new Map((body.data as DomainData[]).map((row) => [row.domain_name, row]))
}

/** Certificates of sites. */
export const sslContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('certificates', makeInstance, (shared) => {
    const provision = (change: Record<string, unknown> = {}) =>
      shared.admin.post(`${BASE}/provision`, { domain: 'alice.example', ...change })
    const addDomain = (name: string, type = 'addon', root = `/home/alice/${name}`) =>
      shared.admin.post('/api/domains', {
        account_id: 1,
        domain_name: name,
        domain_type: type,
        document_root: root,
      })

    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bob')
      for (const [name, type] of [
        ['unreachable.alice-alias.example', 'alias'],
        ['second.example', 'alias'],
      ] as const) {
        expect((await addDomain(name, type, '/home/alice/public_html')).status).toBe(200)
      }
    })

    test.each(badProvisions)('provision names the bad field %s of %j', async (field, change) => {
      const answer = await provision(change)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')).toBe(field)
      expect(answer.body.error).toContain(field)
    })

    test('a wildcard is refused with the reason', async () => {
      const { body } = await provision({ domain: '*.alice.example' })
      expect(body.error).toContain('DNS challenge')
    })

    test('before there is a certificate its paths are 404', async () => {
      for (const path of [`${BASE}/certificate/alice.example`, `${BASE}/renew/alice.example`])
        expect((await shared.admin.get(path)).status).toBe(404)
      expect((await shared.admin.del(`${BASE}/certificate/alice.example`)).status).toBe(404)
      expect((await shared.admin.get(`${BASE}/certificates`)).body.data).toEqual([])
      expect((await provision({ domain: 'nobody.example' })).status).toBe(404)
    })

    test('provision answers the record, with all names that lead here', async () => {
      const answer = await provision({ webroot: '/home/alice/public_html' })
      expect(answer.body).toEqual({
        ok: true,
        data: {
          ...record('alice.example', ['alice.example', 'www.alice.example', 'second.example']),
          left_out: [
            { name: 'unreachable.alice-alias.example', reason: expect.stringContaining('server') },
          ],
        },
      })
      const rows = await domainsOf(shared.admin)
      const { expires_at } = answer.body.data as { expires_at: string }
      const active = { ssl_status: 'active', ssl_expires_at: expires_at, redirect_https: false }
      expect(rows.get('alice.example')).toMatchObject(active)
      expect(rows.get('second.example')).toMatchObject(active)
      const none = { ssl_status: 'none', ssl_expires_at: null }
      expect(rows.get('unreachable.alice-alias.example')).toMatchObject(none)
      expect(rows.get('bob.example')).toMatchObject(none)
    })

    test('list and detail show it, under every name of the site', async () => {
      const expected = record('alice.example', [
        'alice.example',
        'www.alice.example',
        'second.example',
      ])
      const list = await shared.admin.get(`${BASE}/certificates?sort=expires_at&order=desc`)
      expect(list.body.data).toEqual([expected])
      expect(list.headers.get('x-total-count')).toBe('1')
      for (const name of ['alice.example', 'www.alice.example', 'second.example', 'ALICE.example'])
        expect((await shared.admin.get(`${BASE}/certificate/${name}`)).body.data).toEqual(expected)
      expect((await shared.admin.get(`${BASE}/certificate/bob.example`)).status).toBe(404)
      expect((await shared.admin.get(`${BASE}/certificate/*.example`)).status).toBe(400)
      expect((await shared.admin.get(`${BASE}/certificate/%00`)).status).toBe(400)
      expect((await shared.admin.get(`${BASE}/certificates?sort=key_file`)).status).toBe(400)
    })

    test('a name that does not lead here is refused, and ordered with force', async () => {
      expect((await addDomain('unreachable.own.example')).status).toBe(200)
      const answer = await provision({ domain: 'unreachable.own.example' })
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'domain'])
      expect((await domainsOf(shared.admin)).get('unreachable.own.example')).toMatchObject({
        ssl_status: 'none',
      })
      const forced = await provision({ domain: 'unreachable.own.example', force: true })
      expect(forced.status).toBe(200)
    })

    test('refused by the authority is 400, an authority that does not answer 503', async () => {
      await addDomain('refused.example')
      await addDomain('down.example')
      expect((await provision({ domain: 'refused.example' })).status).toBe(400)
      expect((await provision({ domain: 'down.example' })).status).toBe(503)
      const rows = await domainsOf(shared.admin)
      for (const name of ['refused.example', 'down.example'])
        expect(rows.get(name)).toMatchObject({ ssl_status: 'none' })
    })

    test('renew brings another certificate', async () => {
      const before = await shared.admin.get(`${BASE}/certificate/alice.example`)
      const answer = await shared.admin.get(`${BASE}/renew/alice.example`)
      expect(answer.status).toBe(200)
      const [old, young] = [before, answer].map(({ body }) => body.data as { serial: string })
      expect(young?.serial).not.toBe(old?.serial)
    })

    test('a renewal by cookie must come from the panel itself', async () => {
      const cookie = { cookie: `panel_token=${shared.admin.token}` }
      const renew = async (headers: Record<string, string>) => {
        const response = await shared.instance.fetch(`${BASE}/renew/alice.example`, {
          headers: { ...cookie, ...headers },
        })
        await response.body?.cancel()
        return response.status
      }
      expect(await renew({})).toBe(403)
      expect(await renew({ 'sec-fetch-site': 'cross-site' })).toBe(403)
      expect(await renew({ 'x-requested-with': 'berth' })).toBe(200)
    })

    test('auto-renew leaves alone what is not due', async () => {
      const { body } = await shared.admin.post(`${BASE}/auto-renew`)
      expect(body.data).toEqual({
        renewed: [],
        skipped: ['alice.example', 'unreachable.own.example'],
        errors: [],
      })
    })

    test('upload names what is wrong', async () => {
      const upload = (change: Record<string, unknown>) =>
        shared.admin.post(`${BASE}/upload`, { domain: 'bob.example', ...PEM, ...change })
      const own = makeCertificate({ names: ['bob.example'] })
      const other = makeCertificate({ names: ['other.example'] })
      const old = makeCertificate({ names: ['bob.example'], days: -2 })
      const pair = ({ certificate, key }: typeof own) => ({ certificate, private_key: key })
      for (const [field, change] of [
        ['domain', { domain: undefined }],
        ['certificate', { certificate: undefined }],
        ['private_key', { private_key: undefined }],
        ['certificate', { certificate: 'x'.repeat(100_001) }],
        ['chain', { chain: 5 }],
        ['certificate', {}],
        ['private_key', { ...pair(own), private_key: other.key }],
        ['certificate', pair(other)],
        ['certificate', pair(old)],
        ['certificate', { ...pair(own), chain: other.certificate }],
      ] as const) {
        const answer = await upload(change)
        expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      }
      expect((await upload({ domain: 'nobody.example' })).status).toBe(404)
      expect((await domainsOf(shared.admin)).get('bob.example')).toMatchObject({
        ssl_status: 'none',
      })
    })

    test('an uploaded certificate is served, not renewed, and can be removed', async () => {
      const { certificate, key } = makeCertificate({ names: ['bob.example'], days: 10 })
      const answer = await shared.admin.post(`${BASE}/upload`, {
        domain: 'bob.example',
        certificate,
        private_key: key,
        redirect_https: true,
      })
      expect(answer.body.data).toMatchObject({
        domain: 'bob.example',
        source: 'uploaded',
        self_signed: true,
        san: ['bob.example'],
        status: 'expiring_soon',
        renewal_due: false,
        renews_at: null,
      })
      expect(JSON.stringify(answer.body)).not.toContain('PRIVATE KEY')
      expect((await domainsOf(shared.admin)).get('bob.example')).toMatchObject({
        ssl_status: 'active',
        redirect_https: true,
      })
      expect((await shared.admin.get(`${BASE}/renew/bob.example`)).status).toBe(409)
      const removed = await shared.admin.del(`${BASE}/certificate/bob.example`)
      expect(removed.body.data).toEqual({ domain: 'bob.example', deleted: true })
      expect((await domainsOf(shared.admin)).get('bob.example')).toMatchObject({
        ssl_status: 'none',
        redirect_https: false,
      })
      expect((await shared.admin.del(`${BASE}/certificate/bob.example`)).status).toBe(404)
    })

    test('role account has its own certificates only, and no automatic renewal', async () => {
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.get(`${BASE}/certificates`)).body.data).toEqual([])
      for (const answer of [
        await bob.get(`${BASE}/certificate/alice.example`),
        await bob.get(`${BASE}/renew/alice.example`),
        await bob.del(`${BASE}/certificate/alice.example`),
        await bob.post(`${BASE}/provision`, { domain: 'alice.example' }),
        await bob.post(`${BASE}/upload`, { domain: 'alice.example', ...PEM }),
      ])
        expect(answer.status).toBe(404)
      expect((await bob.post(`${BASE}/auto-renew`)).status).toBe(403)
      expect((await bob.post(`${BASE}/provision`, { domain: 'bob.example' })).status).toBe(200)
      expect((await bob.get(`${BASE}/certificates`)).body.data).toHaveLength(1)
    })

    test('a suspended account gets none, but keeps and renews what it has', async () => {
      expect((await shared.admin.post('/api/accounts/2/suspend', {})).status).toBe(200)
      expect((await provision({ domain: 'bob.example' })).status).toBe(409)
      expect((await shared.admin.get(`${BASE}/renew/bob.example`)).status).toBe(200)
    })

    test('a deleted domain, and a deleted account, leave no certificate', async () => {
      const { body } = await shared.admin.get('/api/domains?q=unreachable.own')
      const [domain] = body.data as { id: number }[]
      expect((await shared.admin.del(`/api/domains/${domain?.id}`)).status).toBe(200)
      expect((await shared.admin.del('/api/accounts/2', {})).status).toBe(200)
      const list = await shared.admin.get(`${BASE}/certificates`)
      expect((list.body.data as { domain: string }[]).map((row) => row.domain)).toEqual([
        'alice.example',
      ])
    })

    test('the panel’s own name is told to administrators, with its certificate', async () => {
      const { certificates } = shared.instance.host
      const before = certificates.ownName
      const ask = () => shared.admin.get('/api/ssl/panel')
      try {
        certificates.ownName = null
        expect((await ask()).body.data).toEqual({ name: null, certificate: null })
        certificates.ownName = 'own.panel.example'
        const none = { name: 'own.panel.example', certificate: null }
        expect((await ask()).body.data).toEqual(none)
        const made = await shared.admin.post('/api/ssl/provision', { domain: 'own.panel.example' })
        expect(made.status).toBe(200)
        expect((await ask()).body.data).toMatchObject({
          certificate: { domain: 'own.panel.example', status: 'valid' },
        })
        expect((await shared.admin.del('/api/ssl/certificate/own.panel.example')).status).toBe(200)
        expect((await ask()).body.data).toEqual(none)
      } finally {
        certificates.ownName = before
      }
    })

    test('nobody without a token', async () => {
      expect((await apiClient(shared.instance).get(`${BASE}/certificates`)).status).toBe(401)
    })
  })
}
