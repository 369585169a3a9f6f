import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { composeDns } from '#adapters/node/agent/certificates/dns/compose-dns.ts'
import { createAcmeDns } from '#adapters/node/agent/certificates/dns/providers/acme-dns.ts'
import { dnsAccessPortContract } from '#test/contract/certificates/dns-access-port.ts'
import { createFakeAcmeDns, type FakeAcmeDns } from '#test/fakes/certificates/fake-acme-dns.ts'
import {
  createCertificatesFixture,
  type CertificatesFixture,
  type SiteOwner,
} from './certificates-fixture.ts'

/** The zone of the acme-dns; a real server shows its records. */
const AUTH = 'auth.example'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const dnsOf = (directory: string, mayBeLocal: boolean) =>
  composeDns({
    registry: {
      account: (username: string) =>
        username === 'alice' || username === 'bob' ? ({ username } as never) : null,
    },
    lock: (_, work) => work(),
    ...{ asRoot: false, directory, mayBeLocal, log: quiet },
  })

dnsAccessPortContract('agent with an acme-dns', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-dns-'))
  const acmeDns = await createFakeAcmeDns(AUTH)
  return {
    ...{ dnsAccess: dnsOf(directory, true).port, username: 'alice', otherUsername: 'bob' },
    access: {
      ...{ kind: 'acme-dns', zone: 'shop.example', server: acmeDns.url },
      ...{ key_name: null, secret: null },
    },
    silent: { server: 'http://127.0.0.1:9' },
    wrong: null,
    async dispose() {
      await acmeDns.dispose()
      await rm(directory, { recursive: true })
    },
  }
})

describe('an acme-dns', () => {
  let fixture: CertificatesFixture
  let acmeDns: FakeAcmeDns
  let owner: SiteOwner
  beforeAll(async () => {
    fixture = await createCertificatesFixture({ zone: [], zones: { [AUTH]: [] } })
    acmeDns = await createFakeAcmeDns(AUTH, (name, texts) => fixture.bind!.setTexts(name, texts))
    owner = await fixture.account()
  }, 60_000)
  afterAll(async () => {
    await acmeDns?.dispose()
    await fixture?.dispose()
  })

  const provision = (domain: string) =>
    fixture.admin.post('/api/ssl/provision', { domain, challenge_type: 'dns-01' })

  it('registers a record, to which a CNAME record leads that is told, and proves a name with its wildcard', async () => {
    const domain = owner.domain
    const wildcard = await fixture.admin.post('/api/domains', {
      ...{ account_id: owner.id, domain_name: `*.${domain}`, domain_type: 'alias' },
      document_root: `${owner.home}/public_html`,
    })
    expect(wildcard.status).toBe(200)
    const made = await fixture.admin.post('/api/dns-access', {
      ...{ account_id: owner.id, name: 'away', kind: 'acme-dns', zone: domain },
      server: acmeDns.url,
    })
    const { target } = made.body.data as { target: string }
    const record = { type: 'CNAME', name: `_acme-challenge.${domain}`, value: target }
    expect(made).toMatchObject({ status: 200, body: { data: { record } } })
    const { username, password } = acmeDns.given.get(target)!
    const list = await fixture.admin.get(`/api/dns-access/${owner.id}`)
    expect(list.body.data).toMatchObject([{ name: 'away', record }])
    for (const secret of [username, password])
      expect(JSON.stringify([made.body, list.body])).not.toContain(secret)
    const file = join(fixture.dnsDirectory, 'access', `${owner.username}.json`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toContain(password)

    const before = await provision(domain)
    expect(before.status).toBe(400)
    expect(before.body.error).toContain(
      `There is no record _acme-challenge.${domain} CNAME ${target} yet`,
    )
    await fixture.bind!.setAlias(`_acme-challenge.${domain}`, target)
    // `www.` has no such record, and is told apart from the others.
    const answer = await provision(domain)
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { left_out: [{ name: `www.${domain}` }] } },
    })
    const shown = await fixture.shown(`anything.${domain}`)
    expect(shown).toMatchObject({
      trusted: true,
      subjectaltname: expect.stringContaining(`DNS:*.${domain}`),
    })
    expect(JSON.stringify(answer.body)).not.toContain(password)
  })

  it('keeps two texts, so a third name of an order is told', async () => {
    const [target = ''] = acmeDns.given.keys()
    for (const name of ['b', 'c'])
      await fixture.bind!.setAlias(`_acme-challenge.${name}.${owner.domain}`, target)
    const { publish, withdrawAll } = fixture.dns.publisher(owner.username)
    const text = 'x'.repeat(43)
    expect(await publish(owner.domain, text)).toBeNull()
    expect(await publish(`b.${owner.domain}`, 'y'.repeat(43))).toBeNull()
    expect(await publish(`c.${owner.domain}`, text)).toContain('More than 2 names lead to')
    await withdrawAll()
  })

  it('of one account is of no use to another, whose record leads there', async () => {
    const stranger = await fixture.account()
    const [target = ''] = acmeDns.given.keys()
    await fixture.bind!.setAlias(`_acme-challenge.${stranger.domain}`, target)
    acmeDns.asked.splice(0)
    const answer = await provision(stranger.domain)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain('which no DNS access covers')
    expect(acmeDns.asked).toEqual([])
  })
})

describe('a hostile acme-dns', () => {
  let acmeDns: FakeAcmeDns
  beforeAll(async () => {
    acmeDns = await createFakeAcmeDns(AUTH)
  })
  afterAll(() => acmeDns?.dispose())
  afterEach(() => acmeDns.next.splice(0))
  const register = (server: string, mayBeLocal = true) =>
    createAcmeDns(mayBeLocal)
      .register({ name: 'main', server })
      .then(
        () => null,
        (error: unknown) => error,
      )
  const answered = (status: number, body: unknown): FakeAcmeDns['next'][number] => {
    return (_, response) => response.writeHead(status).end(JSON.stringify(body))
  }
  const good = { username: 'a'.repeat(36), password: 'b'.repeat(40) }
  const named = (subdomain: string, fulldomain: string) =>
    answered(201, { ...good, subdomain, fulldomain })

  it.each<[string, FakeAcmeDns['next'][number]]>([
    ['an answer without end', (_, r) => void r.writeHead(201).end('x'.repeat(2 ** 22))],
    ['an answer of another shape', answered(201, [])],
    ['a name that is none', named('a b', `a b.${AUTH}`)],
    ['a name with a line of its own', named('a', `a.${AUTH}\nsend`)],
    ['a name of another record', named('a', `b.${AUTH}`)],
    ['a password with a line of its own', answered(201, { ...good, password: 'x\r\ny: z-0123' })],
    ['a redirect', (_, r) => void r.writeHead(307, { location: '/update' }).end()],
    ['a broken connection', (_, r) => void r.destroy()],
    ['a refusal in words of its own', answered(403, { error: '<b>call 0900</b>' })],
  ])('%s is refused in words of ours', async (_, instead) => {
    acmeDns.next.push(instead)
    acmeDns.asked.splice(0)
    const error = await register(acmeDns.url)
    expect(error).toMatchObject({
      status: 503,
      message: expect.stringMatching(/acme-dns of the DNS/),
    })
    expect(String(error)).not.toMatch(/0900|send|y: z/)
    expect(acmeDns.asked).toHaveLength(1)
  })

  it('that answers ever slower is given up', async () => {
    let drips: NodeJS.Timeout | undefined
    acmeDns.next.push((_, response) => {
      response.writeHead(201)
      drips = setInterval(() => response.write(' '), 200)
      response.on('close', () => clearInterval(drips))
    })
    const error = await createAcmeDns(true, 1000)
      .register({ name: 'main', server: acmeDns.url })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 503 })
  })

  it.each([
    'https://127.0.0.1',
    'https://localhost',
    'https://[::1]:8443',
    'https://[::ffff:127.0.0.1]',
    'https://0177.0.0.1',
    'https://2130706433/',
    'https://10.0.0.1/api',
    'https://169.254.169.254',
    'https://[fd00:ec2::254]',
    'http://192.0.2.1',
  ])('%s is no address of the internet, or not asked by https', async (server) => {
    expect(await register(server, false)).toMatchObject({ status: 400, field: 'server' })
  })

  it('nothing on this machine is reached by its address', async () => {
    acmeDns.asked.splice(0)
    const { port } = new URL(acmeDns.url)
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:7f00:1]'])
      expect(await register(`https://${host}:${port}`, false)).toMatchObject({ status: 400 })
    expect(acmeDns.asked).toEqual([])
  })

  it('what goes to a record is its own, and a text of an authority', async () => {
    const { updates, register: make } = createAcmeDns(true)
    const registration = await make({ name: 'main', server: acmeDns.url })
    const access = {
      ...{ name: 'main', kind: 'acme-dns' as const, server: acmeDns.url, zone: 'shop.example' },
      ...{ key_name: null, secret: null, created_at: '2026-01-01 00:00:00' },
      ...{ target: registration.target, registration },
    }
    acmeDns.asked.splice(0)
    for (const record of [
      { name: 'other.auth.example', value: 'x'.repeat(43) },
      { name: registration.target, value: 'a"b' },
    ])
      await expect(updates.add(access, record)).rejects.toMatchObject({ status: 503 })
    expect(acmeDns.asked).toEqual([])
    acmeDns.given.clear()
    const record = { name: registration.target, value: 'x'.repeat(43) }
    await expect(updates.add(access, record)).rejects.toThrow(/Add it anew/)
  })
})
