import { beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { Tenant } from '#test/support/tenant.ts'
import { fetchSecure } from './fetch-secure.ts'
import { exim, panel, panelUrl, runJob, until, useRelay } from './mail-instance.ts'

let shop: Tenant
let token: string

const logIn = async (agent: string): Promise<string> => {
  const { username, password } = shop
  const answer = await panel.call('POST', '/api/auth/login', { username, password }, null, {
    'user-agent': agent,
    'accept-language': 'de-DE,de;q=0.9',
  })
  return (answer.body.data as { token: string }).token
}
/** The mail with this in its text, as people see it: quoted-printable and words of heads decoded. */
const mailed = async (to: string, text: string): Promise<string> => {
  const decode = (message: string): string =>
    Buffer.from(
      message
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        ),
      'latin1',
    ).toString('utf8')
  const found = await until(
    async () => (await exim.messages()).map(decode).filter((one) => one.includes(to)),
    (messages) => messages.some((one) => one.includes(text)),
  )
  return found.find((one) => one.includes(text)) ?? ''
}
/** The link in a mail leads to a page of the panel, for who is logged in there. */
const follow = async (mail: string): Promise<number> => {
  const link = /https:\/\/\S+/.exec(mail)?.[0] ?? ''
  expect(link.startsWith(`${panelUrl}/`)).toBe(true)
  const page = await fetchSecure(new URL(link), { headers: { cookie: `panel_token=${token}` } })
  return page.status
}

beforeAll(async () => {
  await useRelay()
  shop = await Tenant.create(panel)
  token = await logIn('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  await panel.call('PATCH', '/api/notifications/preferences', { language: 'de' }, token)
})

test('a log-in from a new place reaches the mailbox of whom it concerns, in its language', async () => {
  await logIn('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605.1.15')
  const mail = await mailed(`${shop.username}@example.com`, 'Safari')
  expect(mail).toContain('From: Berth <berth@server.example>')
  expect(mail).toContain(`Hallo ${shop.username},`)
  expect(mail).toContain('Anmeldung')
  expect(mail).not.toContain(shop.password)
  expect(await follow(mail)).toBe(200)
})

/** A backup whose copy goes to a place that is away: nothing can be put or removed there. */
const failBackup = async (): Promise<void> => {
  await until(
    () => panel.data<{ name: string }[]>('GET', '/api/backups/remote-targets'),
    (targets) => targets.some(({ name }) => name === 'gone'),
  )
  const made = await panel.call('POST', `/api/backups/accounts/${shop.id}`, { target: 'gone' })
  expect([made.status, made.body.error]).toEqual([
    503,
    expect.stringContaining('kept on this host'),
  ])
}

test('a job and a backup that fail, and a certificate that runs out, are told', async () => {
  await runJob(shop, 'exit 3', { notify_after: 1, name: 'nightly' })
  const { certificate, key } = makeCertificate({ names: [shop.domain], days: 20 })
  await panel.data('POST', '/api/ssl/upload', {
    ...{ domain: shop.domain, certificate, private_key: key },
  })
  await failBackup()
  const to = `${shop.username}@example.com`
  for (const text of ['nightly', 'Sicherung', `Zertifikat von ${shop.domain}`]) {
    const mail = await mailed(to, text)
    expect(mail).toContain(`Hallo ${shop.username},`)
    expect(await follow(mail)).toBe(200)
  }
  const list = await panel.call('GET', '/api/notifications?language=de', undefined, token)
  expect((list.body.data as { message: string }[]).map(({ message }) => message).sort()).toEqual(
    expect.arrayContaining([
      'backup.failed',
      'certificate.expiring',
      'cron.failed',
      'login.new_place',
    ]),
  )
})

test('an invitation reaches the mailbox, and its link is answered there', async () => {
  const address = `anna@${shop.username}.example`
  const made = await panel.call(
    'POST',
    `/api/accounts/${shop.id}/invitations`,
    { email: address, role: 'reader' },
    token,
    { 'accept-language': 'de' },
  )
  expect(made.body.data).toMatchObject({ mailed: true })
  const mail = await mailed(address, 'Einladung')
  const link = new URL(/https:\/\/\S+#\S+/.exec(mail)?.[0] ?? '')
  expect((await fetchSecure(link)).status).toBe(200)
  const answer = { token: link.hash.slice(1), name: 'Anna', password: 'a password of Anna' }
  const joined = await panel.call('POST', '/api/auth/invitation', answer, null)
  expect(joined.body.data).toMatchObject({ user: { username: address, role: 'account' } })
})
