import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const SECRET = 'c2VjcmV0IG9mIHRoZSBrZXkgd2l0aCAyNTYgYml0cyE='
const access = (change: Record<string, unknown> = {}) => ({
  account_id: 1,
  name: 'zone',
  server: 'ns1.example.net',
  zone: 'Alice.Example.',
  key_name: 'berth-key.',
  secret: SECRET,
  ...change,
})

const bad: readonly [field: string, value: unknown][] = [
  ['name', 'Zone'],
  ['name', '-a'],
  ['name', 'a'.repeat(33)],
  ['kind', 'route53'],
  ['server', 'ns1 example'],
  ['server', 'ns1.example:0'],
  ['server', 'ns1.example:70000'],
  ['server', '-v'],
  ['zone', 'example'],
  ['zone', 'a..example'],
  ['zone', 'alice.example\nsend'],
  ['zone', `${'a'.repeat(64)}.example`],
  ['key_name', 'a b'],
  ['key_name', 'a\nserver 10.0.0.1'],
  ['secret', 'short'],
  ['secret', `${SECRET}\n`],
  ['secret', 'not base64 !'],
]

/** Access to zones by which names are proved. */
export const dnsAccessContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('DNS access', makeInstance, (shared) => {
    const add = (body: object) => shared.admin.post('/api/dns-access', body)
    const list = async (of: number | 'panel' = 1) =>
      (await shared.admin.get(`/api/dns-access/${of}`)).body.data as { name: string }[]

    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bob')
      shared.instance.host.certificates.acmeEmail = 'a@example.com'
    })

    test('is added, and shown without its key', async () => {
      const { status, body } = await add(access())
      expect(status).toBe(200)
      const shown = {
        ...{ name: 'zone', kind: 'rfc2136', server: 'ns1.example.net', zone: 'alice.example' },
        ...{ key_name: 'berth-key', created_at: expect.any(String), target: null, record: null },
      }
      expect(body.data).toEqual(shown)
      expect(await list()).toEqual([shown])
      const { body: log } = await shared.admin.get('/api/audit?limit=5')
      expect(JSON.stringify([body, log])).not.toContain(SECRET)
    })

    test.each(bad)('%s %j is refused', async (field, value) => {
      const { status, body } = await add(access({ name: 'other', [field]: value }))
      expect(status).toBe(400)
      expect(body.error).toContain(field)
    })

    test.each(['cloudflare', 'desec'])('%s needs a token and nothing else', async (kind) => {
      const token = 'v1_token-of-a-provider-0123456789'
      const own = (change: object = {}) => {
        const { server: _, key_name: __, ...rest } = access({ kind, name: kind, secret: token })
        return { ...rest, ...change }
      }
      for (const [field, value] of [
        ['server', 'ns1.example.net'],
        ['key_name', 'key'],
        ['secret', 'short'],
        ['secret', `${token}\n`],
        ['secret', `${token} x`],
      ] as const) {
        const refused = await add(own({ [field]: value }))
        expect(refused).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(field) },
        })
        expect(JSON.stringify(refused.body)).not.toContain(token)
      }
      expect(await add(own({ kind: 'rfc2136' }))).toMatchObject({ status: 400 })
      const { body } = await add(own())
      expect(body.data).toMatchObject({ kind, server: null, key_name: null, zone: 'alice.example' })
      const { body: log } = await shared.admin.get('/api/audit?limit=5')
      expect(JSON.stringify([body, await list(), log])).not.toContain(token)
      expect((await shared.admin.del(`/api/dns-access/1/${kind}`)).status).toBe(200)
    })

    test('an acme-dns registers a record, to which one of CNAME leads, and cannot be changed', async () => {
      const own = (change: object = {}) => ({
        ...{ account_id: 1, name: 'away', kind: 'acme-dns', zone: 'www.alice.example' },
        ...{ server: 'https://auth.example.net', ...change },
      })
      for (const [field, value] of [
        ['server', null],
        ['server', 'auth.example.net'],
        ['server', 'ftp://auth.example.net'],
        ['server', 'https://user:word@auth.example.net'],
        ['server', 'https://auth.example.net/?a=b'],
        ['key_name', 'key'],
        ['secret', SECRET],
      ] as const)
        expect(await add(own({ [field]: value }))).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(field) },
        })
      expect(await add(own({ server: 'https://down.example.net' }))).toMatchObject({ status: 503 })
      const value = 'away.acme-dns.example'
      const made = await add(own())
      expect(made.body.data).toMatchObject({
        ...{ kind: 'acme-dns', target: value, zone: 'www.alice.example', key_name: null },
        record: { type: 'CNAME', name: '_acme-challenge.www.alice.example', value },
      })
      const changed = await shared.admin.send('PATCH', '/api/dns-access/1/away', { secret: SECRET })
      expect(changed).toMatchObject({ status: 400, body: { error: expect.stringMatching(/stay/) } })
      expect((await shared.admin.del('/api/dns-access/1/away')).status).toBe(200)
    })

    test('a new key is tried, kept and not shown; the rest stays', async () => {
      const change = (body: object, path = '1/zone') =>
        shared.admin.send('PATCH', `/api/dns-access/${path}`, body)
      const [before] = await list()
      const secret = 'YSBuZXcgc2VjcmV0IHdpdGggMjU2IGJpdHMgb2YgaXQh'
      const { status, body } = await change({ secret })
      expect([status, body.data]).toEqual([200, before])
      expect(shared.instance.host.dnsAccess.kept.get('alice')).toMatchObject([{ secret }])
      // Written beside the answer.
      const log = async () => JSON.stringify((await shared.admin.get('/api/audit?limit=5')).body)
      await expect.poll(log).toContain('PATCH /api/dns-access/:account_id/:name')
      expect(JSON.stringify(body) + (await log())).not.toContain(secret)
      for (const [refused, field] of [
        [{}, 'secret'],
        [{ secret: 'short' }, 'secret'],
        [{ server: 'ns1 example' }, 'server'],
        [{ key_name: 'a b' }, 'key_name'],
        [{ zone: 'bob.example', secret }, 'zone'],
      ] as const)
        expect(await change(refused)).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(field) },
        })
      expect((await change({ server: 'down.example.net' })).status).toBe(503)
      expect((await change({ secret }, '1/nothing')).status).toBe(404)
      expect((await change({ secret }, 'panel/zone')).status).toBe(404)
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.send('PATCH', '/api/dns-access/1/zone', { secret })).status).toBe(404)
      expect((await bob.send('PATCH', '/api/dns-access/panel/zone', { secret })).status).toBe(403)
      expect(await list()).toEqual([before])
    })

    test('a name is taken once, and a server must answer', async () => {
      expect((await add(access())).status).toBe(409)
      expect((await add(access({ name: 'b', server: 'down.example.net' }))).status).toBe(503)
      expect((await add(access({ account_id: 99 }))).status).toBe(404)
    })

    test('an owner has his own, and nobody the panel’s', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const bob = await accountClient(shared.instance, 'bob')
      expect((await alice.get('/api/dns-access/1')).status).toBe(200)
      expect((await bob.get('/api/dns-access/1')).status).toBe(404)
      expect((await bob.post('/api/dns-access', access())).status).toBe(404)
      expect((await bob.del('/api/dns-access/1/zone')).status).toBe(404)
      const panels = access({ account_id: null })
      for (const answer of [
        await alice.get('/api/dns-access/panel'),
        await alice.post('/api/dns-access', panels),
        await alice.del('/api/dns-access/panel/zone'),
      ])
        expect(answer.status).toBe(403)
      expect((await add(panels)).status).toBe(200)
      expect(await list('panel')).toHaveLength(1)
      expect((await shared.admin.del('/api/dns-access/panel/zone')).status).toBe(200)
    })

    test('wildcards, and what asks for it, are proved by it; others are left out or refused', async () => {
      const document_root = '/home/alice/public_html'
      const wild = { account_id: 1, domain_name: '*.alice.example', domain_type: 'alias' }
      expect(await shared.admin.post('/api/domains', { ...wild, document_root })).toMatchObject({
        status: 200,
      })
      const provision = (body: object) => shared.admin.post('/api/ssl/provision', body)
      const made = await provision({ domain: 'alice.example' })
      expect(made.body.data).toMatchObject({ left_out: [], challenge: null })
      expect((made.body.data as { san: string[] }).san).toContain('*.alice.example')
      const all = await provision({ domain: 'alice.example', challenge_type: 'dns-01' })
      expect(all.body.data).toMatchObject({ challenge: 'dns-01' })
      const renewed = await shared.admin.get('/api/ssl/renew/alice.example')
      expect(renewed.body.data).toMatchObject({ challenge: 'dns-01' })
      const none = await provision({ domain: 'bob.example', challenge_type: 'dns-01' })
      expect(none).toMatchObject({ status: 400 })
      expect(none.body.error).toContain('No DNS access covers')
    })

    test('removed, wildcards are left out again', async () => {
      expect((await shared.admin.del('/api/dns-access/1/zone')).body.data).toEqual({
        name: 'zone',
        deleted: true,
      })
      expect((await shared.admin.del('/api/dns-access/1/zone')).status).toBe(404)
      const made = await shared.admin.post('/api/ssl/provision', { domain: 'alice.example' })
      expect(made.body.data).toMatchObject({
        left_out: [{ name: '*.alice.example', reason: expect.stringContaining('DNS access') }],
      })
    })
  })
}
