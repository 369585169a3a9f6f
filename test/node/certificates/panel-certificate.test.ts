import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountClient } from '#test/contract/frame/api-instance.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import {
  createCertificatesFixture,
  ZONE,
  type CertificatesFixture,
} from './certificates-fixture.ts'

const NAME = `panel.${ZONE}`

let fixture: CertificatesFixture
beforeAll(async () => {
  fixture = await createCertificatesFixture({ zone: [], panelName: NAME })
  await fixture.bind!.addAddress(NAME)
}, 60_000)
afterAll(() => fixture?.dispose())

/** What the panel follows: key and chain in one file. */
const shown = async () => {
  const text = await readFile(fixture.panelFile, 'utf8')
  expect(text).toContain('PRIVATE KEY')
  const certificate = new X509Certificate(text)
  expect(certificate.checkHost(NAME)).toBe(NAME)
  return certificate.serialNumber
}
const provision = (body: object = {}) =>
  fixture.admin.post('/api/ssl/provision', { domain: NAME, ...body })
const told = async () =>
  (await fixture.admin.get('/api/ssl/panel')).body.data as {
    name: string
    certificate: { serial: string; challenge: string | null; source: string } | null
  }

it('is obtained by HTTP, and handed to the panel alone', async () => {
  expect(await told()).toEqual({ name: NAME, certificate: null })
  expect(await provision()).toMatchObject({ status: 200 })
  expect((await told()).certificate).toMatchObject({ serial: await shown(), challenge: null })
  expect((await stat(fixture.panelFile)).mode & 0o007).toBe(0)
})

it('is obtained by the panel’s own DNS access, and by no account’s', async () => {
  const before = await shown()
  const owner = await fixture.account()
  const { address: server, keyName: key_name, secret } = fixture.bind!
  const add = (account_id: number | null) =>
    fixture.admin.post('/api/dns-access', {
      ...{ account_id, name: 'zone', server, zone: ZONE, key_name, secret },
    })
  expect((await add(owner.id)).status).toBe(200)
  const refused = await provision({ challenge_type: 'dns-01' })
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/No DNS/) } })
  expect((await add(null)).status).toBe(200)
  expect(await provision({ challenge_type: 'dns-01' })).toMatchObject({ status: 200 })
  expect(await shown()).not.toBe(before)
  expect((await told()).certificate).toMatchObject({ challenge: 'dns-01' })
  expect(await fixture.bind!.texts(`_acme-challenge.${NAME}`)).toEqual([])
})

it('is obtained by records that somebody sets, and begun by administrators alone', async () => {
  const before = await shown()
  const begun = await fixture.admin.post('/api/ssl/orders', { domain: NAME })
  const { records } = begun.body.data as { records: { name: string; value: string }[] }
  // Of a hundred proofs that it has, Pebble takes one again, and asks for none.
  expect([[`_acme-challenge.${NAME}`], []]).toContainEqual(records.map(({ name }) => name))
  for (const { name, value } of records) await fixture.bind!.setTexts(name, [value])
  const done = await fixture.admin.post(`/api/ssl/orders/${NAME}/finish`)
  expect(done).toMatchObject({ status: 200, body: { data: { challenge: 'by-hand' } } })
  expect(await shown()).not.toBe(before)
  const owner = await fixture.account()
  const tenant = await accountClient(fixture.api, owner.username)
  for (const answer of [
    await tenant.get('/api/ssl/panel'),
    await tenant.post('/api/ssl/orders', { domain: NAME }),
    await tenant.get(`/api/ssl/orders/${NAME}`),
  ])
    expect(answer.status).toBe(403)
})

it('is uploaded, and goes with its removal', async () => {
  const issuer = makeCertificate({ names: ['Root'], authority: true })
  const own = makeCertificate({ names: [NAME], issuer })
  const pair = { certificate: own.certificate, private_key: own.key, chain: issuer.certificate }
  const uploaded = await fixture.admin.post('/api/ssl/upload', { domain: NAME, ...pair })
  expect(uploaded).toMatchObject({ status: 200, body: { data: { source: 'uploaded' } } })
  expect(await shown()).toBe(new X509Certificate(own.certificate).serialNumber)
  expect((await fixture.admin.del(`/api/ssl/certificate/${NAME}`)).status).toBe(200)
  expect(existsSync(fixture.panelFile)).toBe(false)
  expect(await told()).toEqual({ name: NAME, certificate: null })
})
