import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createCertificatesFixture,
  ZONE,
  type CertificatesFixture,
  type SiteOwner,
} from './certificates-fixture.ts'

/** Where proofs lie that are no business of the sites' own zone. */
const PROOFS = 'proofs.example'
/** A zone whose every name that is not there is a CNAME record. */
const PARKED = 'parked.example'

let fixture: CertificatesFixture
let owner: SiteOwner
beforeAll(async () => {
  const alias = (name: string, to: string) => `_acme-challenge.${name} IN CNAME ${to}.`
  fixture = await createCertificatesFixture({
    zone: [
      alias('followed', `one.${PROOFS}`),
      alias('stranger', `stranger.${PROOFS}`),
      alias('circle', `_acme-challenge.back.${ZONE}`),
      alias('back', `_acme-challenge.circle.${ZONE}`),
      alias('far', `hop1.${PROOFS}`),
      ...['followed', 'stranger', 'circle', 'far'].map((name) => `${name} IN A 127.0.0.1`),
    ],
    zones: {
      [PROOFS]: [
        `one IN CNAME two.${PROOFS}.`,
        ...Array.from({ length: 9 }, (_, at) => `hop${at + 1} IN CNAME hop${at + 2}.${PROOFS}.`),
      ],
      [PARKED]: [`*.site IN CNAME elsewhere.${PROOFS}.`, 'site IN A 127.0.0.1'],
    },
  })
  owner = await fixture.account()
  await addAccess('proofs', PROOFS)
}, 60_000)
afterAll(() => fixture?.dispose())

const bind = () => fixture.bind!
const addAccess = async (name: string, zone: string, account_id = owner.id): Promise<void> => {
  const { address: server, keyName: key_name, secret } = bind()
  const body = { account_id, name, server, zone, key_name, secret }
  expect(await fixture.admin.post('/api/dns-access', body)).toMatchObject({ status: 200 })
}
const addDomain = async (domain_name: string, of = owner): Promise<void> => {
  const answer = await fixture.admin.post('/api/domains', {
    ...{ account_id: of.id, domain_name, domain_type: 'addon' },
    document_root: `${of.home}/public_html`,
  })
  expect(answer).toMatchObject({ status: 200 })
}
const provision = (domain: string) =>
  fixture.admin.post('/api/ssl/provision', { domain, challenge_type: 'dns-01' })
const nothingLeft = async (...names: string[]): Promise<void> => {
  for (const name of names) expect(await bind().texts(name)).toEqual([])
  const pending = join(fixture.dnsDirectory, 'pending')
  expect(await readdir(pending).catch(() => [])).toEqual([])
}

describe('a challenge that is a CNAME record', () => {
  it('is followed into another zone, where the record is set, looked for and taken back', async () => {
    await addDomain(`followed.${ZONE}`)
    const answer = await provision(`followed.${ZONE}`)
    expect(answer).toMatchObject({ status: 200, body: { data: { challenge: 'dns-01' } } })
    expect((await fixture.shown(`followed.${ZONE}`)).trusted).toBe(true)
    await nothingLeft(`two.${PROOFS}`)
  })

  it('stands at the end of the way while the order runs', async () => {
    const { publish, withdrawAll } = fixture.dns.publisher(owner.username)
    expect(await publish(`*.followed.${ZONE}`, 'at-the-end')).toBeNull()
    expect(await bind().texts(`two.${PROOFS}`)).toEqual(['at-the-end'])
    await withdrawAll()
    await nothingLeft(`two.${PROOFS}`)
  })

  it.each([
    ['a circle', 'circle', /lead in a circle, by _acme-challenge\.circle/],
    ['a way without end', 'far', /more than 8 CNAME records/],
  ])('%s is told', async (_, name, why) => {
    await addDomain(`${name}.${ZONE}`)
    const answer = await provision(`${name}.${ZONE}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(why)
    await nothingLeft()
  })

  it('of the zone’s wildcard is none: a record that is set takes its place', async () => {
    await addAccess('parked', PARKED)
    await addDomain(`site.${PARKED}`)
    expect(await provision(`site.${PARKED}`)).toMatchObject({ status: 200 })
    await nothingLeft(`_acme-challenge.site.${PARKED}`, `elsewhere.${PROOFS}`)
  })

  it('into a zone of another account is written by nobody: an access serves its owner’s names alone', async () => {
    const stranger = await fixture.account()
    await addDomain(`stranger.${ZONE}`, stranger)
    const answer = await provision(`stranger.${ZONE}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain(
      `_acme-challenge.stranger.${ZONE} is a CNAME record to stranger.${PROOFS}, which no DNS access covers`,
    )
    const direct = fixture.dns.publisher(stranger.username)
    expect(await direct.publish(`stranger.${ZONE}`, 'never')).toContain('no DNS access covers')
    await direct.withdrawAll()
    await nothingLeft(`stranger.${PROOFS}`)
    // The panel's own access is as little of any use to it, nor the account's to the panel.
    expect(await fixture.dns.publisher(null).publish(`stranger.${ZONE}`, 'never')).toContain(
      'no DNS access covers',
    )
  })
})
