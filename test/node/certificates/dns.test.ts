import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dnsAccessPortContract } from '#test/contract/certificates/dns-access-port.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createCertificatesFixture,
  ZONE,
  type CertificatesFixture,
  type SiteOwner,
} from './certificates-fixture.ts'

let fixture: CertificatesFixture
let owner: SiteOwner
beforeAll(async () => {
  fixture = await createCertificatesFixture({
    zone: ['closed IN A 127.0.0.1', 'closed IN CAA 0 issue ";"'],
  })
  owner = await fixture.account()
}, 60_000)
afterAll(() => fixture?.dispose())

dnsAccessPortContract('agent with a real DNS server', async () => {
  const own = await createCertificatesFixture({ zone: [] })
  const { username } = await own.account()
  const { username: otherUsername } = await own.account()
  const { address: server, keyName: key_name, secret } = own.bind!
  return {
    ...{ dnsAccess: own.dns.port, username, otherUsername },
    access: { kind: 'rfc2136', zone: ZONE, server, key_name, secret },
    silent: { server: '127.0.0.1:9' },
    wrong: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    dispose: own.dispose,
  }
})

const bind = () => fixture.bind!
const access = (change: object = {}) => ({
  account_id: owner.id,
  name: 'zone',
  server: bind().address,
  zone: ZONE,
  key_name: bind().keyName,
  secret: bind().secret,
  ...change,
})
const addDomain = async (domain_name: string, domain_type = 'alias'): Promise<void> => {
  const answer = await fixture.admin.post('/api/domains', {
    ...{ account_id: owner.id, domain_name, domain_type },
    document_root: `${owner.home}/public_html`,
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}
const provision = (body: object) => fixture.admin.post('/api/ssl/provision', body)
const challengesLeft = () => bind().texts(`_acme-challenge.${owner.domain}`)

describe('DNS access', () => {
  it('is tried, kept by the agent alone, and never shown', async () => {
    const made = await fixture.admin.post('/api/dns-access', access())
    expect(made).toMatchObject({ status: 200, body: { data: { name: 'zone', zone: ZONE } } })
    const list = await fixture.admin.get(`/api/dns-access/${owner.id}`)
    expect(JSON.stringify([made.body, list.body])).not.toContain(bind().secret)
    const file = join(fixture.dnsDirectory, 'access', `${owner.username}.json`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toContain(bind().secret)
    expect(await bind().texts(`_acme-challenge.${ZONE}`)).toEqual([])
  })

  it.each([
    ['a key that is not known', { key_name: 'other-key' }, 503, /does not know this key|signature/],
    [
      'a wrong secret',
      { secret: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
      503,
      /signature/,
    ],
    ['a zone that is not there', { zone: 'nowhere.test' }, 503, /zone/],
    ['a server that is not there', { server: '127.0.0.1:9' }, 503, /does not answer/],
    ['words of the program', { zone: 'berth.example\nsend' }, 400, /zone/],
    ['a name that is taken', { name: 'zone' }, 409, /already/],
  ])('%s is refused', async (_, change, status, why) => {
    const answer = await fixture.admin.post('/api/dns-access', access({ name: 'other', ...change }))
    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatch(why)
    expect(JSON.stringify(answer.body)).not.toContain(bind().secret)
  })
})

describe('DNS-01', () => {
  it('a wildcard is proved by a record that goes again, the other names by HTTP', async () => {
    await addDomain(`*.${owner.domain}`)
    const answer = await provision({ domain: owner.domain })
    expect(answer).toMatchObject({ status: 200, body: { data: { left_out: [], challenge: null } } })
    const shown = await fixture.shown(`anything.${owner.domain}`)
    expect(shown.trusted).toBe(true)
    expect(shown.subjectaltname).toContain(`DNS:*.${owner.domain}`)
    expect(await challengesLeft()).toEqual([])
    expect(await readdir(join(fixture.dnsDirectory, 'pending'))).toEqual([])
  })

  it('a name that leads elsewhere is proved where that is asked for, and renewed so', async () => {
    const name = `away.${owner.domain}`
    await addDomain(name, 'subdomain')
    const answer = await provision({ domain: name, challenge_type: 'dns-01' })
    expect(answer).toMatchObject({ status: 200, body: { data: { challenge: 'dns-01' } } })
    const before = (await fixture.shown(name)).serialNumber
    const renewed = await fixture.admin.get(`/api/ssl/renew/${name}`)
    expect(renewed).toMatchObject({ status: 200, body: { data: { challenge: 'dns-01' } } })
    expect((await fixture.shown(name)).serialNumber).not.toBe(before)
  })

  it('records of type CAA that keep the authority away are told before it is asked', async () => {
    await addDomain(`closed.${ZONE}`, 'addon')
    const answer = await provision({ domain: `closed.${ZONE}`, challenge_type: 'dns-01' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain('a CAA record that forbids every certificate authority')
  })

  it('the access of one account proves no name of another', async () => {
    const other = await fixture.account()
    const answer = await provision({ domain: other.domain, challenge_type: 'dns-01' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain('No DNS access covers')
  })

  it('a record that an order could not take back goes at the next look', async () => {
    const { publish, withdrawAll } = fixture.dns.publisher(owner.username)
    expect(await publish(owner.domain, 'left-behind')).toBeNull()
    expect(await challengesLeft()).toEqual(['left-behind'])
    const [note = ''] = await readdir(join(fixture.dnsDirectory, 'pending'))
    expect(await readFile(join(fixture.dnsDirectory, 'pending', note), 'utf8')).not.toContain(
      bind().secret,
    )
    // An order is at work with it.
    await fixture.dns.settle()
    expect(await challengesLeft()).toEqual(['left-behind'])
    await writeFile(join(fixture.dnsDirectory, 'pending', `${'0'.repeat(24)}.json`), '{')
    await fixture.startDns().settle({ username: 'another' })
    expect(await challengesLeft()).toEqual(['left-behind'])
    await fixture.startDns().settle()
    expect(await challengesLeft()).toEqual([])
    expect(await readdir(join(fixture.dnsDirectory, 'pending'))).not.toContain(note)
    await withdrawAll()
  })

  it('goes with its account', async () => {
    const other = await fixture.account()
    const file = join(fixture.dnsDirectory, 'access', `${other.username}.json`)
    const made = await fixture.admin.post('/api/dns-access', access({ account_id: other.id }))
    expect([made.status, existsSync(file)]).toEqual([200, true])
    expect((await fixture.admin.del(`/api/accounts/${other.id}`, {})).status).toBe(200)
    expect(existsSync(file)).toBe(false)
  })

  it('goes with its name', async () => {
    const removed = await fixture.admin.del(`/api/dns-access/${owner.id}/zone`)
    expect(removed.status).toBe(200)
    const answer = await provision({ domain: owner.domain, challenge_type: 'dns-01' })
    expect(answer.body.error).toContain('No DNS access covers')
  })
})
