import { describe, expect, test } from 'vitest'
import { certificateAge, isRenewalLate } from '#handlers/domain/certificates/certificate-status.ts'
import { planRenewal } from '#handlers/domain/certificates/renewal-window.ts'
import { parseWebroot } from '#handlers/domain/domains/webroot.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { conflict, unavailable } from '#handlers/errors.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

const BASE = '/api/ssl'
const away = () => unavailable('The host agent cannot be reached.')

describe('certificates when something fails', () => {
  freshApi('alice')

  const provision = (change: Record<string, unknown> = {}) =>
    admin.post(`${BASE}/provision`, { domain: 'alice.example', ...change })
  const sslOf = () => api.host.webServer.hosts.get('alice.example')
  const stored = () => [...(api.host.certificates.stored.get('alice.example') ?? [])]

  /** The site is as if nothing had been tried. */
  const expectNone = async (): Promise<void> => {
    expect(sslOf()).toMatchObject({ ssl: null, redirectHttps: false })
    expect(await api.store.certificateByDomain('alice.example')).toBeNull()
    expect(await api.store.domainByName('alice.example')).toMatchObject({
      ssl_status: 'none',
      redirect_https: false,
    })
    expect(stored()).toEqual([])
    expect(await api.store.openOperations()).toEqual([])
  }

  const FAULTS = [
    ['certificates.prepare', 'before'],
    ['certificates.issue', 'before'],
    ['certificates.issue', 'after'],
    ['webServer.apply', 'before'],
    ['webServer.apply', 'after'],
  ] as const

  test.each(FAULTS)('a first one is undone when %s fails %s its effect', async (method, when) => {
    api.host.inject({ method, when, error: away() })
    expect((await provision({ redirect_https: true })).status).toBe(503)
    await expectNone()
    expect((await provision()).status).toBe(200)
  })

  test.each(FAULTS)('the old one stays when %s fails %s its effect', async (method, when) => {
    await provision({ redirect_https: true })
    const before = structuredClone(sslOf())
    const row = await api.store.certificateByDomain('alice.example')
    const versions = stored()
    api.host.inject({ method, when, error: away() })
    expect((await admin.get(`${BASE}/renew/alice.example`)).status).toBe(503)
    expect(sslOf()).toEqual(before)
    expect(await api.store.certificateByDomain('alice.example')).toEqual({
      ...row,
      last_error: 'The host agent cannot be reached.',
    })
    expect(stored()).toEqual(versions)
    expect(await api.store.openOperations()).toEqual([])
    expect((await admin.get(`${BASE}/renew/alice.example`)).status).toBe(200)
    expect(await api.store.certificateByDomain('alice.example')).toMatchObject({ last_error: null })
  })

  test('a web server that refuses the certificate keeps the old one', async () => {
    api.host.inject({ method: 'webServer.apply', when: 'before', error: conflict('refused') })
    const answer = await provision()
    expect([answer.status, answer.body.error]).toEqual([409, 'refused'])
    await expectNone()
  })

  test('a panel that dies in the middle undoes it at its next start', async () => {
    api.host.inject({ method: 'webServer.apply', when: 'after', error: away() })
    api.host.inject({ method: 'certificates.prune', when: 'before', error: away() })
    expect((await provision()).status).toBe(503)
    expect(await api.store.openOperations()).toHaveLength(1)
    await api.restart().settleOpenOperations()
    await expectNone()
  })

  test('a removal that was begun is finished', async () => {
    await provision({ redirect_https: true })
    api.host.inject({ method: 'webServer.apply', when: 'before', error: away() })
    expect((await admin.del(`${BASE}/certificate/alice.example`)).status).toBe(503)
    expect(await api.store.openOperations()).toHaveLength(1)
    await api.restart().settleOpenOperations()
    await expectNone()
  })

  test('a domain that goes while its certificate is ordered is not brought back', async () => {
    const { body } = await admin.post('/api/domains', {
      account_id: 1,
      domain_name: 'shop.example',
      domain_type: 'addon',
      document_root: '/home/alice/shop',
    })
    const { id } = body.data as { id: number }
    const { issue } = api.host.certificates
    api.host.certificates.issue = async (input) => {
      const made = await issue(input)
      expect((await admin.del(`/api/domains/${id}`)).status).toBe(200)
      return made
    }
    expect((await provision({ domain: 'shop.example' })).status).toBe(404)
    expect(api.host.webServer.hosts.has('shop.example')).toBe(false)
    expect(api.host.certificates.stored.has('shop.example')).toBe(false)
    expect(await api.store.openOperations()).toEqual([])
  })

  test('a suspension does not wait for an order', async () => {
    const { issue } = api.host.certificates
    api.host.certificates.issue = async (input) => {
      expect((await admin.post('/api/accounts/1/suspend', {})).status).toBe(200)
      return issue(input)
    }
    expect((await provision()).status).toBe(200)
    expect(sslOf()).toMatchObject({ suspended: true, ssl: { key: expect.any(String) } })
  })

  test('orders of one site follow each other', async () => {
    const answers = await Promise.all([provision(), provision(), provision()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(stored()).toHaveLength(1)
    expect(sslOf()?.ssl?.key).toContain(stored()[0])
  })

  test('without acme_email the key is named, and nothing is begun', async () => {
    api.host.certificates.acmeEmail = null
    const answer = await provision()
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('acme_email')])
    await expectNone()
  })

  test("the panel's own name is an administrator's alone, and no site", async () => {
    api.host.certificates.ownName = 'panel.example'
    const answer = await provision({ domain: 'panel.example' })
    expect(answer.body.data).toMatchObject({ domain: 'panel.example', san: ['panel.example'] })
    expect(api.host.webServer.hosts.has('panel.example')).toBe(false)
    const webroot = await provision({ domain: 'panel.example', webroot: '/home/alice' })
    expect([webroot.status, webroot.headers.get('x-error-field')]).toEqual([400, 'webroot'])
    const login = await admin.post('/api/auth/login', {
      username: 'alice',
      password: 'account password',
    })
    admin.token = (login.body.data as { token: string }).token
    expect((await admin.get(`${BASE}/certificates`)).body.data).toEqual([])
    for (const path of ['certificate', 'renew'])
      expect((await admin.get(`${BASE}/${path}/panel.example`)).status).toBe(403)
    expect((await provision({ domain: 'panel.example' })).status).toBe(403)
  })

  test('the daily renewal asks the authority when, and tells it what is replaced', async () => {
    await provision()
    const [version = ''] = api.host.certificates.stored.get('alice.example') ?? []
    const inDays = (days: number): string => timestamp(api.clock.nowMs() + days * 86_400_000)
    const window = {
      ...{ from: inDays(40), until: inDays(41), explanation_url: 'https://ca.example/why' },
    }
    api.host.certificates.windows.set(version, window)
    expect((await api.app.renewCertificates()).skipped).toEqual(['alice.example'])
    const { data } = (await admin.get('/api/ssl/certificate/alice.example')).body
    expect(data).toMatchObject({ renewal_window: window, renewal_due: false })
    const { renews_at } = data as { renews_at: string }
    expect(renews_at >= window.from && renews_at <= window.until).toBe(true)
    // It changes its mind: the certificate has to go.
    const past = { ...window, from: inDays(-3), until: inDays(-2) }
    api.host.certificates.windows.set(version, past)
    expect((await api.app.renewCertificates()).renewed).toEqual(['alice.example'])
    expect(api.host.certificates.replaced).toEqual([version])
    const renewed = (await admin.get('/api/ssl/certificate/alice.example')).body.data
    expect(renewed).toMatchObject({ renewal_window: null, renewal_due: false })
  })

  test('the daily renewal takes what is due, whether its site is open or not', async () => {
    await provision()
    await admin.post('/api/accounts/1/suspend', {})
    expect(await api.app.renewCertificates()).toEqual({
      renewed: [],
      skipped: ['alice.example'],
      errors: [],
    })
    api.clock.advanceSecs(61 * 86_400)
    api.host.certificates.nowMs = api.clock.nowMs
    expect((await api.app.renewCertificates()).renewed).toEqual(['alice.example'])
    expect((await api.app.renewCertificates()).skipped).toEqual(['alice.example'])
  })
})

test.each([
  ['2026-03-02 00:00:00', 60, 'valid', false],
  ['2026-02-01 00:00:00', 31, 'valid', false],
  ['2026-01-31 00:00:00', 30, 'expiring_soon', true],
  ['2026-01-01 00:00:01', 0, 'expiring_soon', true],
  ['2026-01-01 00:00:00', 0, 'expired', true],
  ['2025-12-31 12:00:00', -1, 'expired', true],
] as const)('on 1 January one until %s has %i days and is %s', (expires_at, days, status, due) => {
  const nowMs = Date.UTC(2026, 0, 1)
  const age = { days_remaining: days, status }
  expect(certificateAge({ expires_at, source: 'acme' }, nowMs)).toEqual({
    ...age,
    renewal_due: due,
    renews_at: timestamp(Date.parse(`${expires_at}Z`) - 30 * 86_400_000),
  })
  expect(certificateAge({ expires_at, source: 'uploaded' }, nowMs)).toEqual({
    ...age,
    renewal_due: false,
    renews_at: null,
  })
})

test.each([
  ['far ahead, in the last 30 days', '2026-01-20 00:00:00', '2026-01-10 00:00:00', false],
  ['before the next look', '2026-03-01 00:00:00', '2026-01-02 00:30:00', true],
  ['in the past, long before the end', '2026-12-01 00:00:00', '2025-12-31 00:00:00', true],
  ['after the end', '2026-01-02 12:00:00', '2026-02-01 00:00:00', true],
])('renewed when its authority wants it: %s', (_when, expires_at, at, due) => {
  const renewal = { from: at, until: at, at, explanation_url: null }
  const age = certificateAge({ expires_at, source: 'acme', renewal }, Date.UTC(2026, 0, 1))
  expect([age.renewal_due, age.renews_at]).toEqual([due, at])
})

test('a renewal is late when two looks have passed, however short a certificate lives', () => {
  const at = '2026-01-01 00:00:00'
  const renewal = { from: at, until: at, at, explanation_url: null }
  const late = (days: number, expires_at = '2026-01-05 00:00:00') =>
    isRenewalLate({ expires_at, source: 'acme', renewal }, Date.UTC(2026, 0, 1) + days * 86_400_000)
  expect([late(-1), late(1), late(2), late(200, '2027-01-01 00:00:00')]).toEqual([
    ...[false, false, true, true],
  ])
})

test('a time in the window is kept as long as the window is the same', () => {
  const window = {
    from: '2026-01-01 00:00:00',
    until: '2026-01-03 00:00:00',
    explanation_url: null,
  }
  const planned = planRenewal(window, null, 0.5)
  expect(planned).toEqual({ ...window, at: '2026-01-02 00:00:00' })
  expect(planRenewal(window, planned, 0.9).at).toBe(planned.at)
  const moved = { ...window, from: '2025-12-01 00:00:00' }
  expect(planRenewal(moved, planned, 0).at).toBe(moved.from)
})

test('a webroot lies in the home, in its canonical form', () => {
  expect(parseWebroot('/home/alice//web/./x/', '/home/alice')).toBe('/home/alice/web/x')
  expect(parseWebroot('/home/alice', '/home/alice')).toBe('/home/alice')
  for (const bad of ['/home/alicebob', '/home', 'web', '/home/alice/../bob', '/home/alice/\n'])
    expect(() => parseWebroot(bad, '/home/alice')).toThrow(/webroot/)
  expect(() => parseWebroot('/home/alice', null)).toThrow(/webroot/)
})
