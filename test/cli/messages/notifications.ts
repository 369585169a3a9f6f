import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Berth } from '../support/run-berth.ts'

/** Logged in as a person: the machine's own administrator changes nothing of how others are told. */
let berth: Berth
/** As root on the machine. */
let local: Berth

beforeAll(async () => {
  berth = new Berth()
  local = new Berth('--config', instance.config.file)
  const args = ['--url', instance.panelUrl, '--username', 'admin', '--password-stdin']
  await berth.ok('login', args, { input: 'correct horse 9' })
  for (const name of ['told once', 'told twice'])
    await panel.data('POST', '/api/tokens', { name, scopes: ['read'] })
})
afterAll(async () => {
  berth?.remove()
  local?.remove()
})

interface Told {
  id: number
  title: string
  read_at: string | null
}

test("the administrator's notifications are listed and read, one or all", async () => {
  const security = ['--kind', 'security', '--unread', 'true']
  const [newest, ...others] = await berth.json<Told[]>('notifications list', security)
  expect(others.length).toBeGreaterThan(0)
  const [german] = await berth.json<Told[]>('notifications list', [...security, '--language', 'de'])
  expect(german?.id).toBe(newest?.id)
  expect(german?.title).not.toBe(newest?.title)
  expect(await berth.ok('notification list', ['--sort', 'id', '--order', 'desc'])).toMatch(
    /^ *ID +WHEN \(UTC\) +KIND[^]*security/,
  )
  expect(await local.json<Told[]>('notifications list', security)).toMatchObject([
    { id: newest?.id },
    ...others.map(({ id }) => ({ id })),
  ])
  const refused = await local.run('notifications read', ['--all'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Log in')])
  const standing = await berth.json<object[]>('notifications list', ['--standing', 'true'])
  for (const one of standing) expect(one).toMatchObject({ state: 'standing' })

  const id = String(newest?.id)
  expect(await berth.ok('notifications read', [id])).toMatch(/^[1-9]\d* unread\.\n$/)
  const left = await berth.json<Told[]>('notifications list', security)
  expect(left.map((one) => one.id)).toEqual(others.map((one) => one.id))
  expect(await berth.ok('notifications read', ['--all'])).toBe('0 unread.\n')
  expect(await berth.ok('notifications list', security)).toBe('There are no notifications.\n')
  expect((await berth.run('notifications read', ['999999'])).code).toBe(1)
  for (const args of [[], [id, '--all']])
    expect((await berth.run('notifications read', args)).code).toBe(2)
})

test('how one is told is chosen by kind, with address and language', async () => {
  const ways = ['--panel', 'on', '--mail', 'off', '--webhook', 'on']
  expect(await berth.ok('notifications choose', ['backup', ...ways])).toMatch(
    /^backup +yes +no +yes$/m,
  )
  const where = ['--email', 'boss@mail.example', '--language', 'de']
  expect(await berth.json('notifications choose', where)).toMatchObject({
    email: 'boss@mail.example',
    language: 'de',
    mail_obstacle: 'no_relay',
  })
  const shown = await berth.ok('notifications preferences')
  expect(shown).toMatch(/^KIND +PANEL +MAIL +WEBHOOK\n[^]*^backup +yes +no +yes$/m)
  expect(shown).toContain(
    'Mails go to boss@mail.example.\nLanguage: de\nMails are kept: there is no relay.',
  )
  for (const args of [[], ['backup'], ['--mail', 'off'], ['backup', '--mail', 'maybe']])
    expect((await berth.run('notifications choose', args)).code).toBe(2)
  for (const args of [
    ['weather', '--mail', 'off'],
    ['security', '--panel', 'off'],
  ])
    expect((await berth.run('notifications choose', args)).code).toBe(1)
})

test('a webhook is set, shown without its secret, tried, and taken away', async () => {
  const url = `${instance.panelUrl}/hook`
  expect((await berth.run('notifications set-webhook', ['hooks'])).code).toBe(1)
  const set = await berth.json('notifications set-webhook', [url])
  expect(set).toMatchObject({ url, secret: expect.stringMatching(/^whsec_/) as string })
  const shown = await berth.ok('notifications webhook')
  expect(shown).toContain(url)
  expect(shown).not.toContain('whsec_')
  expect(await berth.ok('notifications deliveries')).toBe('Nothing was sent yet.\n')
  // This machine is nothing that a webhook may ask.
  const tried = await berth.run('notifications test-webhook', ['--json'])
  expect(tried.code).toBe(1)
  expect(JSON.parse(tried.stdout)).toMatchObject({ notification_id: null, status: null })
  expect(await berth.ok('notifications deliveries')).toMatch(
    /^WHEN \(UTC\) +NOTIFICATION[^]* test +- +\d+ /,
  )
  expect(await berth.ok('notifications remove-webhook')).toBe('There is no webhook any more.\n')
  expect(await berth.json('notifications webhook')).toBeNull()
  expect(await berth.ok('notifications webhook')).toContain('set-webhook')
  expect((await berth.run('notifications test-webhook')).code).toBe(1)
})
