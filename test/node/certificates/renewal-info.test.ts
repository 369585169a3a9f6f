import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { certificateId } from '#adapters/node/agent/certificates/renewal-info.ts'
import type { InstalledCertificate } from '#handlers/ports/host/certificates.ts'
import {
  startRenewalDirectory,
  type RenewalDirectory,
} from '#test/support/authority/renewal-directory.ts'
import { createCertificatesFixture, type CertificatesFixture } from './certificates-fixture.ts'

let fixture: CertificatesFixture
let authority: RenewalDirectory
let certificates: ReturnType<CertificatesFixture['certificatesWith']>
let subject: { username: string; domain: string }
let made: InstalledCertificate
const order = (operationId: string, replaces: string | null) => ({
  ...{ ...subject, names: [subject.domain], by_dns: [], webroot: null },
  ...{ operationId, replaces },
})
beforeAll(async () => {
  fixture = await createCertificatesFixture()
  authority = await startRenewalDirectory(fixture.pebble, fixture.agent.directory)
  certificates = fixture.certificatesWith({
    acme_directory: authority.directory,
    acme_ca_file: authority.caFile,
  })
  const { username, domain } = await fixture.account()
  subject = { username, domain }
  made = await certificates.issue(order('op-first', null))
}, 60_000)
afterAll(async () => {
  await authority?.stop()
  await fixture?.dispose()
})

const windowOf = () => certificates.renewalWindow({ ...subject, version: 'op-first' })

it('the authority is asked by the key that signed and the serial number', async () => {
  const window = { start: '2027-01-02T04:00:00Z', end: '2027-01-03T04:00:00+01:00' }
  const explanationURL = 'https://ca.example/why'
  authority.answer = [200, JSON.stringify({ suggestedWindow: window, explanationURL })]
  expect(await windowOf()).toEqual({
    ...{ from: '2027-01-02 04:00:00', until: '2027-01-03 03:00:00' },
    explanation_url: explanationURL,
  })
  const id = certificateId(await readFile(made.files.certificate, 'utf8'))
  expect(authority.asked).toEqual([id])
  const [key = '', serial = ''] = id?.split('.') ?? []
  expect(Buffer.from(key, 'base64url')).toHaveLength(20)
  const hex = Buffer.from(serial, 'base64url').toString('hex').toUpperCase()
  expect(hex).toMatch(/^[0-7]/)
  expect(hex.replace(/^00/, '')).toBe(made.serial)
})

it.each([
  ['nothing', 404, ''],
  ['a window that ends before it begins', 200, '2027-01-03T04:00:00Z 2027-01-02T04:00:00Z'],
  ['times that are none', 200, 'soon later'],
  ['times beyond what is kept', 200, '2027-01-03T04:00:00Z 9999-01-03T04:00:00Z'],
])('an authority that says %s is one that says nothing', async (_what, status, window) => {
  const [start, end] = window.split(' ')
  authority.answer = [status, JSON.stringify({ suggestedWindow: { start, end } })]
  expect(await windowOf()).toBeNull()
})

it('a page that is none is left out, and an authority that is away is told', async () => {
  const suggestedWindow = { start: '2027-01-02T04:00:00Z', end: '2027-01-03T04:00:00Z' }
  authority.answer = [
    200,
    JSON.stringify({ suggestedWindow, explanationURL: 'javascript:alert(1)' }),
  ]
  expect(await windowOf()).toMatchObject({ explanation_url: null })
  const away = fixture.certificatesWith({ acme_directory: 'https://localhost:1/dir' })
  await expect(away.renewalWindow({ ...subject, version: 'op-first' })).rejects.toMatchObject({
    status: 503,
  })
})

it('an order names what it replaces, and goes without where the authority does not take that', async () => {
  authority.refuses = true
  await expect(certificates.issue(order('op-refused', 'op-first'))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Not today') as string,
  })
  const id = certificateId(await readFile(made.files.certificate, 'utf8'))
  expect(authority.orders.map(({ replaces }) => replaces)).toEqual([id, undefined])
  authority.refuses = false
  const next = await certificates.issue(order('op-second', 'op-first'))
  expect(next.serial).not.toBe(made.serial)
})
