import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificatesFixture } from './certificates-fixture.ts'
import type { CertificatesFixture } from './certificates-fixture.ts'

interface Data {
  serial: string
  status: string
  renewal_due: boolean
  days_remaining: number
  last_error: string | null
}

/** What the authority issues lasts one hour. */
let fixture: CertificatesFixture
beforeAll(async () => {
  fixture = await createCertificatesFixture({ validitySecs: 3600 })
})
afterAll(() => fixture.dispose())

const certificateOf = async (domain: string): Promise<Data> =>
  (await fixture.admin.get(`/api/ssl/certificate/${domain}`)).body.data as Data

it('takes what is due, expired or not, leaves the rest, and goes on after a failure', async () => {
  const owners = [await fixture.account(), await fixture.account(), await fixture.account()]
  for (const { domain } of owners) {
    const { status } = await fixture.admin.post('/api/ssl/provision', { domain })
    expect(status).toBe(200)
  }
  const [due = '', young = '', failing = ''] = owners.map(({ domain }) => domain)
  const before = await certificateOf(due)
  expect(before).toMatchObject({ status: 'expiring_soon', renewal_due: true, days_remaining: 0 })
  fixture.api.clock.advanceSecs(7200)
  expect(await certificateOf(due)).toMatchObject({ status: 'expired', days_remaining: -1 })

  const row = await fixture.api.store.certificateByDomain(young)
  if (row === null) throw new Error('there is no row')
  await fixture.api.store.putCertificate({ ...row, expires_at: '2090-01-01 00:00:00' }, [])
  expect(await certificateOf(young)).toMatchObject({ status: 'valid', renewal_due: false })
  await fixture.moveAway(failing)

  const { body } = await fixture.admin.post('/api/ssl/auto-renew')
  expect(body.data).toEqual({
    renewed: [due],
    skipped: [young],
    errors: [{ domain: failing, error: expect.stringContaining('does not lead to this server') }],
  })
  expect((await certificateOf(due)).serial).not.toBe(before.serial)
  expect((await certificateOf(young)).serial).toBe(row.serial)
  const failed = await certificateOf(failing)
  expect(failed.last_error).toContain('does not lead to this server')
  // The old one goes on being served.
  expect((await fixture.shown(failing)).serialNumber).toBe(failed.serial)

  await fixture.moveAway(failing, '127.0.0.1')
  const again = await fixture.admin.post('/api/ssl/auto-renew')
  expect((again.body.data as { renewed: string[] }).renewed).toContain(failing)
  expect((await certificateOf(failing)).last_error).toBeNull()
})
