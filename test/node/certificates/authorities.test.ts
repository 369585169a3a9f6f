import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { createCertificatesFixture, type CertificatesFixture } from './certificates-fixture.ts'

const KEY = randomBytes(32).toString('base64url')
let fixture: CertificatesFixture
let file: string
let nowhere: string
beforeAll(async () => {
  fixture = await createCertificatesFixture({ customers: { 'customer-1': KEY } })
  file = join(fixture.agent.directory, 'eab.key')
  await writeFile(file, `${KEY}\n`, { mode: 0o600 })
  const [port = 0] = await freePorts(1)
  nowhere = `https://localhost:${port}/dir`
}, 60_000)
afterAll(() => fixture?.dispose())

/** What an order comes to with these settings: `issued`, or status and words. */
const issue = async (panel: Parameters<CertificatesFixture['certificatesWith']>[0]) => {
  const { username, domain } = await fixture.account()
  const order = { username, domain, names: [domain], by_dns: [], replaces: null, webroot: null }
  return fixture
    .certificatesWith(panel)
    .issue({ ...order, operationId: `op-${domain}` })
    .then(
      () => 'issued',
      ({ status, message }: { status: number; message: string }) => `${status} ${message}`,
    )
}

it('an authority that wants to know its customer is told', async () => {
  const bound = { acme_eab_key_id: 'customer-1', acme_eab_key_file: file }
  expect(await issue({})).toMatch(/^400 .*externalAccountBinding/)
  expect(await issue({ ...bound, acme_eab_key_id: 'customer-2' })).toMatch(/^400 /)
  expect(await issue({ ...bound, acme_eab_key_file: `${file}.none` })).toMatch(
    /^503 .*cannot be read, or is not base64url/,
  )
  expect(await issue(bound)).toBe('issued')
})

it('another one is asked where the first cannot be reached, and not where it refuses', async () => {
  const fallback = {
    acme_fallback_directory: fixture.pebble.directory,
    acme_fallback_eab_key_id: 'customer-1',
    acme_fallback_eab_key_file: file,
  }
  expect(await issue({ acme_directory: nowhere })).toMatch(/^503 /)
  expect(await issue({ acme_directory: nowhere, ...fallback })).toBe('issued')
  const { domain, username } = await fixture.account()
  await fixture.moveAway(domain)
  const refused = await fixture
    .certificatesWith({ acme_eab_key_id: 'customer-1', acme_eab_key_file: file, ...fallback })
    .issue({
      ...{ username, domain, names: [domain], by_dns: [], replaces: null, webroot: null },
      operationId: 'op-r',
    })
    .catch((error: { status: number }) => error.status)
  expect(refused).toBe(400)
})
