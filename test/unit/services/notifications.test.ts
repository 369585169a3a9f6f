import { expect, test } from 'vitest'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError } from '#handlers/errors.ts'
import type { PanelMessage } from '#handlers/ports/host/mail/outgoing-mail.ts'
import type { PostedMessage } from '#handlers/ports/posts.ts'
import type { CertificateRow } from '#handlers/ports/store/records.ts'
import { signature } from '#handlers/services/notifications/webhook-body.ts'
import {
  accountClient,
  adminClient,
  createAccount,
  type ApiClient,
} from '#test/contract/frame/api-instance.ts'
import { makeNodeApi, type NodeApi } from '#test/node/contract/api-node.ts'
import { fakeCertificateRow } from './certificate-row.ts'

interface Told {
  id: number
  message: string
  title: string
  state: string
  read_at: string | null
}

const HOUR = 3600

const withPanel = async (
  work: (rig: {
    api: NodeApi
    admin: ApiClient
    alice: ApiClient
    mails: PanelMessage[]
    posts: (PostedMessage & { url: string })[]
    answer: { status: number | Error }
    told: (client: ApiClient, query?: string) => Promise<Told[]>
    messages: (client: ApiClient, query?: string) => Promise<string[]>
    putCertificate: (domain: string, change?: Partial<CertificateRow>) => Promise<void>
  }) => Promise<void>,
): Promise<void> => {
  const posts: (PostedMessage & { url: string })[] = []
  const answer: { status: number | Error } = { status: 204 }
  const api = await makeNodeApi({
    panelUrl: 'https://panel.example:7070',
    posts: {
      async post(url, message) {
        posts.push({ url, ...message })
        if (answer.status instanceof Error) throw answer.status
        return { status: answer.status }
      },
    },
  })
  try {
    const mails = api.host.mail.submitted
    const admin = await adminClient(api)
    await createAccount(admin, 'alice')
    const alice = await accountClient(api, 'alice')
    const told = async (client: ApiClient, query = ''): Promise<Told[]> =>
      (await client.get(`/api/notifications${query}`)).body.data as Told[]
    await work({
      ...{ api, admin, alice, mails, posts, answer, told },
      messages: async (client, query) => (await told(client, query)).map((one) => one.message),
      putCertificate: (domain, change = {}) =>
        api.store.putCertificate(fakeCertificateRow(domain, change), []),
    })
  } finally {
    await api.close()
  }
}

test('one that is proved by hand is told 20, 10 and 3 days ahead, since nobody but its owner can renew it', () =>
  withPanel(async ({ api, alice, told, messages, putCertificate }) => {
    const at = (days: number) => timestamp(api.clock.nowMs() + days * 86_400_000)
    for (const [days, message] of [
      [25, []],
      [20, ['certificate.expiring']],
      [10, ['certificate.expiring_10']],
      [3, ['certificate.expiring_3']],
    ] as const) {
      await putCertificate('alice.example', { expires_at: at(days), challenge: 'by-hand' })
      await api.app.lookForTroubles()
      expect(await messages(alice)).toEqual(message)
    }
    expect(JSON.stringify(await told(alice))).toContain('proved by records that you set')
    expect(await api.app.renewCertificates()).toMatchObject({ skipped: ['alice.example'] })
  }))

test('a certificate in trouble is told once to account and administrators, and is over when renewed', () =>
  withPanel(async ({ api, admin, alice, told, messages, putCertificate }) => {
    const at = (days: number) => timestamp(api.clock.nowMs() + days * 86_400_000)
    await putCertificate('alice.example', { expires_at: at(60), last_error: 'The name is gone.' })
    await api.app.lookForTroubles()
    await api.app.lookForTroubles()
    for (const client of [alice, admin])
      expect(await messages(client)).toEqual(['certificate.failed'])
    await alice.post('/api/notifications/read')
    // A renewal that fails is told 20, 10 and 3 days before the end, each time unread.
    for (const [days, message] of [
      [25, 'certificate.failed'],
      [20, 'certificate.expiring'],
      [10, 'certificate.expiring_10'],
      [3, 'certificate.expiring_3'],
    ] as const) {
      await putCertificate('alice.example', {
        ...{ expires_at: at(days), last_error: 'The name is gone.' },
      })
      await api.app.lookForTroubles()
      const read_at = message === 'certificate.failed' ? expect.any(String) : null
      expect(await told(alice)).toMatchObject([{ message, read_at }])
      await alice.post('/api/notifications/read')
    }
    await putCertificate('alice.example', { expires_at: at(-1) })
    // Also after a restart of the panel.
    await api.restart().lookForTroubles()
    expect(await told(alice)).toMatchObject([{ message: 'certificate.expired', state: 'standing' }])
    await putCertificate('alice.example', { expires_at: at(90) })
    await api.app.lookForTroubles()
    expect(await told(alice)).toMatchObject([
      { message: 'certificate.expired', state: 'resolved', read_at: expect.any(String) },
    ])
  }))

test('a failed order for a site without certificate is told until it has one', () =>
  withPanel(async ({ api, alice, messages, told, putCertificate }) => {
    await api.store.openOperation({
      id: 'order',
      kind: 'certificate.install',
      subject: 'certificate:alice.example',
      state: 'open',
      steps: [],
      data: { domain: 'alice.example', username: 'alice', previous: null },
      created_at: timestamp(api.clock.nowMs()),
    })
    await api.store.closeOperation('order', 'undone')
    // The event of it has the panel look by itself.
    await api.app.dispatchEvents()
    api.clock.advanceSecs(30)
    await api.app.tellNotifications()
    expect(await messages(alice)).toEqual(['certificate.failed'])
    const expires_at = timestamp(api.clock.nowMs() + 80 * 86_400_000)
    await putCertificate('alice.example', { expires_at })
    await api.app.lookForTroubles()
    expect(await told(alice)).toMatchObject([{ state: 'resolved' }])
  }))

test('quotas are told at 80 and 95 per cent and when full, and not again while they waver', () =>
  withPanel(async ({ api, alice, told, messages }) => {
    const use = async (disk_used_mb: number): Promise<void> => {
      await api.store.updateAccount(1, { disk_used_mb, disk_quota_mb: 1000 })
      await api.app.lookForTroubles()
    }
    await use(790)
    expect(await told(alice)).toEqual([])
    await use(810)
    await alice.post('/api/notifications/read')
    for (const used of [780, 810, 770, 800]) await use(used)
    expect(await told(alice, '?unread=true')).toEqual([])
    await use(960)
    expect(await told(alice)).toMatchObject([{ message: 'quota.disk_95', read_at: null }])
    await use(1000)
    expect(await messages(alice)).toEqual(['quota.disk_full'])
    await use(500)
    expect(await told(alice)).toMatchObject([{ state: 'resolved' }])
  }))

test("the machine's troubles are the administrators' alone", () =>
  withPanel(async ({ api, admin, alice, messages, told }) => {
    const { machine } = api.host
    if (!machine.now.disks.seen || !machine.now.packages.seen) throw new Error('not seen')
    const [disk] = machine.now.disks.value
    if (disk === undefined) throw new Error('no disk')
    disk.freeBytes = 2 ** 20
    const update = { name: 'php8.4', installed: '1', candidate: '2', security: true }
    machine.now.packages.value.updates = [update]
    await api.app.lookForTroubles()
    expect((await messages(admin)).sort()).toEqual(['disk.full', 'update.security'])
    expect(await messages(alice)).toEqual([])
    // What cannot be looked at is not over.
    machine.now.disks = { seen: false, reason: 'busy' }
    machine.now.packages = { seen: true, value: { ...machine.now.packages.value, updates: [] } }
    await api.app.lookForTroubles()
    expect((await told(admin)).map(({ message, state }) => [message, state]).sort()).toEqual([
      ['disk.full', 'standing'],
      ['update.security', 'resolved'],
    ])
  }))

test('cron jobs are told when they failed as often as their owner wants, to the owner alone', () =>
  withPanel(async ({ api, admin, alice, messages, told }) => {
    const made = await alice.post('/api/cron', {
      ...{ account_id: 1, name: '<img src=x onerror=alert(1)>\u202e', schedule: '0 3 * * *' },
      ...{ kind: 'shell', command: 'true', notify_after: 3 },
    })
    const { id } = made.body.data as { id: number }
    await api.store.updateCronJob(id, { failures: 2 })
    await api.app.lookForTroubles()
    expect(await messages(alice)).toEqual([])
    await api.store.updateCronJob(id, { failures: 3 })
    await api.app.lookForTroubles()
    const [one] = await told(alice)
    expect(one?.title).toBe('The cron job <img src=x onerror=alert(1)> fails')
    expect(await messages(admin)).toEqual([])
    await api.store.updateCronJob(id, { failures: 0 })
    await api.app.lookForTroubles()
    expect(await told(alice)).toMatchObject([{ state: 'resolved' }])
  }))

test('a few mails go out one by one in the language of the person, many as one an hour', () =>
  withPanel(async ({ api, alice, mails, putCertificate }) => {
    await alice.send('PATCH', '/api/notifications/preferences', { language: 'de' })
    const expires_at = timestamp(api.clock.nowMs() - 1000)
    await putCertificate('alice.example', { expires_at })
    await api.app.lookForTroubles()
    await api.app.tellNotifications()
    expect(mails).toMatchObject([
      {
        to: 'alice@mail.example',
        subject: 'Berth: Das Zertifikat von alice.example ist abgelaufen',
        text: expect.stringContaining('https://panel.example:7070/ssl?q=alice.example'),
      },
    ])
    for (let number = 0; number < 200; number++)
      await putCertificate(`n${number}.example`, { expires_at })
    await api.app.lookForTroubles()
    await api.app.tellNotifications()
    await api.app.tellNotifications()
    expect(mails).toHaveLength(2)
    expect(mails[1]).toMatchObject({ subject: 'Berth: 200 Benachrichtigungen' })
    expect(mails[1]?.text).toContain('und 150 weitere')
    await alice.post('/api/tokens', { name: 'ci', scopes: ['read'] })
    await api.app.tellNotifications()
    expect(mails).toHaveLength(2)
    api.clock.advanceSecs(HOUR + 1)
    await api.app.tellNotifications()
    expect(mails).toHaveLength(3)
    expect(mails[2]?.subject).toBe('Berth: API-Token ci wurde erstellt')
  }))

test('a mail that is not taken is tried again, and no obstacle is named where there is none', () =>
  withPanel(async ({ api, admin, alice, mails }) => {
    const error = new AppError(503, 'The queue is away.')
    api.host.inject({ method: 'outgoingMail.submit', when: 'before', error, times: 1 })
    await alice.post('/api/tokens', { name: 'ci', scopes: ['read'] })
    await api.app.tellNotifications()
    await api.app.tellNotifications()
    expect(mails).toEqual([])
    api.clock.advanceSecs(61)
    await api.app.tellNotifications()
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).not.toContain('berth_')
    const path = '/api/notifications/preferences'
    expect((await alice.get(path)).body.data).toMatchObject({ mail_obstacle: 'no_relay' })
    api.host.mail.relay = 'relay.example:587'
    expect((await alice.get(path)).body.data).toMatchObject({ mail_obstacle: null })
    api.host.mail.trouble = { since: '2026-11-25 10:00:00', answer: '535 no such login' }
    await api.app.lookForTroubles()
    expect((await admin.get('/api/notifications')).body.data).toMatchObject([
      { message: 'mail.relay', text: expect.stringContaining('535 no such login') },
    ])
    api.host.mail.trouble = null
    await api.app.lookForTroubles()
    expect((await admin.get('/api/notifications?standing=true')).body.data).toEqual([])
    expect((await admin.get(path)).body.data).toMatchObject({ mail_obstacle: 'no_address' })
  }))

test('an account whose programs were ended for want of memory is told once, until a day has passed', () =>
  withPanel(async ({ api, admin, alice }) => {
    const use = {
      step_secs: 300,
      points: [],
      memory_ends: [{ at_secs: 1_764_000_000, count: 3 }],
      disk_held_by: 'berth' as const,
    }
    api.host.accountUse.used.set('alice', use)
    await api.app.lookForTroubles()
    await api.app.lookForTroubles()
    for (const client of [alice, admin])
      expect((await client.get('/api/notifications')).body.data).toMatchObject([
        {
          message: 'quota.memory',
          link: '/accounts/alice',
          text: expect.stringContaining('The kernel ended 3 within a day'),
        },
      ])
    const error = new AppError(503, 'The host is away.')
    api.host.inject({ method: 'accountUse.shortOfMemory', when: 'before', error, times: 1 })
    await api.app.lookForTroubles()
    const standing = '/api/notifications?standing=true'
    expect((await alice.get(standing)).body.data).toHaveLength(1)
    api.host.accountUse.used.clear()
    await api.app.lookForTroubles()
    expect((await alice.get(standing)).body.data).toEqual([])
  }))

test('a webhook is told what begins and ends, signed, and tried again with growing pauses', () =>
  withPanel(async ({ api, alice, posts, answer, putCertificate }) => {
    const set = await alice.send('PUT', '/api/notifications/webhook', {
      url: 'https://a.example/x',
    })
    const { secret } = set.body.data as { secret: string }
    const expires_at = timestamp(api.clock.nowMs() - 1000)
    answer.status = 500
    await putCertificate('alice.example', { expires_at })
    await api.app.lookForTroubles()
    await api.app.tellNotifications()
    await api.app.tellNotifications()
    expect(posts).toHaveLength(1)
    answer.status = new Error('This address lies on this machine')
    api.clock.advanceSecs(31)
    await api.app.tellNotifications()
    api.clock.advanceSecs(31)
    await api.app.tellNotifications()
    expect(posts).toHaveLength(2)
    answer.status = 200
    api.clock.advanceSecs(60)
    await api.app.tellNotifications()
    expect(posts).toHaveLength(3)
    const { url, headers, body } = posts[2] ?? { url: '', headers: {}, body: '' }
    expect(url).toBe('https://a.example/x')
    const message = JSON.parse(body) as Record<string, unknown>
    expect(message).toMatchObject({
      ...{ kind: 'certificate', message: 'certificate.expired', state: 'standing' },
      data: { domain: 'alice.example' },
    })
    expect(headers['berth-event-id']).toBe(message['id'])
    const signed = headers['berth-signature'] ?? ''
    const secs = Number(/^t=(\d+),/.exec(signed)?.[1])
    expect(signed).toBe(await signature(secret, secs, body))
    const renewed = timestamp(api.clock.nowMs() + 80 * 86_400_000)
    await putCertificate('alice.example', { expires_at: renewed })
    await api.app.lookForTroubles()
    await api.app.tellNotifications()
    expect(JSON.parse(posts[3]?.body ?? '')).toMatchObject({ state: 'resolved' })
    const log = (await alice.get('/api/notifications/webhook/deliveries')).body.data
    expect(log).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: null, error: 'This address lies on this machine' },
      { status: 500 },
    ])
    expect((await alice.post('/api/notifications/webhook/test')).body.data).toMatchObject({
      status: 200,
      notification_id: null,
    })
    expect((await alice.post('/api/notifications/webhook/test')).status).toBe(429)
  }))

test('a suspended account is told nothing by mail or webhook', () =>
  withPanel(async ({ api, admin, alice, mails, posts }) => {
    await alice.send('PUT', '/api/notifications/webhook', { url: 'https://a.example/x' })
    await alice.post('/api/tokens', { name: 'ci', scopes: ['read'] })
    expect((await admin.post('/api/accounts/1/suspend', { reason: 'x' })).status).toBe(200)
    await api.app.tellNotifications()
    expect([mails, posts]).toEqual([[], []])
  }))

test('one account fills neither its own list nor that of an administrator', () =>
  withPanel(async ({ api, admin, alice, told, putCertificate }) => {
    const expires_at = timestamp(api.clock.nowMs() - 1000)
    for (let number = 0; number < 420; number++)
      await putCertificate(`n${number}.example`, { expires_at })
    await api.app.lookForTroubles()
    await api.app.lookForTroubles()
    expect(await told(alice)).toHaveLength(400)
    expect(await told(admin)).toHaveLength(40)
    await api.store.tellNotifications(
      Array.from({ length: 150 }, () => ({
        ...({ role: 'account', owner_id: 1, about_id: null, kind: 'job' } as const),
        ...({ message: 'job.failed', severity: 'error', rank: 1, trouble: null } as const),
        ...({ data: {}, shown: true, mail_at_secs: null, hook: 'never' } as const),
        created_at: timestamp(api.clock.nowMs()),
      })),
      { most: 500, since: '2026-01-01 00:00:00' },
    )
    const all = await told(alice)
    expect(all).toHaveLength(500)
    expect(all.filter(({ state }) => state === 'standing')).toHaveLength(400)
  }))

test('a failed job is told to who started it', () =>
  withPanel(async ({ api, admin, alice, messages }) => {
    const body = { account_id: 1, path: 'missing.zip', to: 'public_html' }
    const response = await api.fetch('/api/files/extract', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${alice.token ?? ''}`,
        'content-type': 'application/json',
        prefer: 'respond-async',
      },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    await api.background.settled()
    expect(await messages(alice)).toEqual(['job.failed'])
    expect(await messages(admin)).toEqual([])
  }))
