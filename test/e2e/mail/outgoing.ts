import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { exim, instance, mailOf, panel, runJob, useRelay } from './mail-instance.ts'

const SCRIPT = `<?php
var_dump(mail($_GET['to'], $_GET['subject'] ?? ('From ' . PHP_SAPI), 'sent by ' . PHP_SAPI . "\\n", ['From' => $_GET['from']]));`

let shop: Tenant

const ask = async (to: string, more: Record<string, string> = {}): Promise<string> => {
  const query = new URLSearchParams({ to, from: `shop@${shop.domain}`, ...more })
  return (await instance.site(shop.domain, `/mail.php?${query.toString()}`)).text
}
const useMode = (mode: string) =>
  panel.data('POST', `/api/php/version/${shop.id}`, { version: '8.2', mode })

beforeAll(async () => {
  shop = await Tenant.create(panel)
  // By name before the main domain, and not what the account is known by.
  await panel.data('POST', '/api/domains', {
    account_id: shop.id,
    domain_name: `aaa-${shop.domain}`,
    domain_type: 'addon',
    document_root: shop.path('public_html'),
  })
  await shop.put('public_html/mail.php', SCRIPT)
})

test('what a site sends is kept while there is no relay, and goes out when one is told of', async () => {
  expect(await ask('reader@elsewhere.example', { subject: 'kept first' })).toContain('bool(true)')
  expect(await mailOf(shop, 'kept first')).toMatchObject({ state: 'kept', attempts: 0 })
  await useRelay()
  const arrived = await exim.message('Subject: kept first')
  expect(arrived).toContain(`From: shop@${shop.domain}`)
  await mailOf(shop, 'kept first', ({ state }) => state === 'sent')
})

test("sites send in the modes fpm and cgi, and from nobody else's address", async () => {
  for (const [mode, sapi] of [
    ['cgi', 'cgi-fcgi'],
    ['fpm', 'fpm-fcgi'],
  ] as const) {
    await useMode(mode)
    const subject = `in mode ${mode}`
    const answer = await ask('reader@elsewhere.example', { subject, from: 'ceo@bank.example' })
    expect(answer).toContain('bool(true)')
    const arrived = await exim.message(`Subject: ${subject}`)
    expect(arrived).toContain(`sent by ${sapi}`)
    const own = `${shop.username}@${shop.domain}`
    expect(arrived).toContain(`Return-path: <${own}>`)
    expect(arrived).toContain(`From: ${own}`)
    expect(arrived).toContain('Reply-To: ceo@bank.example')
    expect(await mailOf(shop, subject, ({ state }) => state === 'sent')).toMatchObject({
      from: own,
      replaced_from: 'ceo@bank.example',
    })
  }
})

test('jobs send, by sendmail and by mail() of PHP at the command line', async () => {
  const sent = await runJob(
    shop,
    'printf "Subject: from a job\\\\nTo: reader@elsewhere.example\\\\n\\\\nthe text of a job\\\\n" | sendmail -t -i',
  )
  expect(sent).toMatchObject({ outcome: 'ok', output: '' })
  expect(await exim.message('the text of a job')).toContain(
    `Return-path: <${shop.username}@${shop.domain}>`,
  )
  const php = await runJob(
    shop,
    `php -r 'var_dump(mail("reader@elsewhere.example", "from PHP of a job", "by PHP in a job"));'`,
  )
  expect(php).toMatchObject({ outcome: 'ok', output: 'bool(true)\n' })
  await exim.message('by PHP in a job')
  await mailOf(shop, 'from PHP of a job', ({ state }) => state === 'sent')
})

test('what the relay refuses is shown to the account with what was said of it', async () => {
  await ask('nobody@elsewhere.example', { subject: 'to nobody' })
  const failed = await mailOf(shop, 'to nobody', ({ state }) => state === 'failed')
  expect(failed.recipients).toMatchObject([
    {
      address: 'nobody@elsewhere.example',
      state: 'failed',
      answer: expect.stringContaining('no such user here'),
    },
  ])
  const { username, password } = shop
  const { token } = await panel.data<{ token: string }>('POST', '/api/auth/login', {
    ...{ username, password },
  })
  const own = await panel.call('GET', `/api/mail/messages/${failed.id}/source`, undefined, token)
  expect(own.body.data).toMatchObject({ text: expect.stringContaining('Subject: to nobody') })
  expect((await panel.call('GET', `/api/mail/messages/${failed.id}/source`)).status).toBe(403)
})

test('more than the plan allows in an hour is refused, and mail() says so', async () => {
  const settings = () =>
    panel.data<{ sent_last_hour: number; per_hour: number }>('GET', `/api/mail/${shop.id}/settings`)
  const { sent_last_hour: sent } = await settings()
  await panel.data('POST', '/api/plans', {
    ...{ name: 'few-mails', disk_quota_mb: 1000, bandwidth_quota_mb: 1000, domains_limit: 5 },
    ...{ databases_limit: 1, tokens_limit: 1, backups_limit: 1, mails_per_hour_limit: sent + 1 },
    ...{ processes_limit: 50, memory_limit_mb: 1024 },
  })
  await panel.data('PATCH', `/api/accounts/${shop.id}`, { plan: 'few-mails' })
  expect(await ask('reader@elsewhere.example', { subject: 'the last one' })).toContain('bool(true)')
  expect(await ask('reader@elsewhere.example', { subject: 'one too many' })).toContain(
    'bool(false)',
  )
  expect(await mailOf(shop, 'one too many')).toMatchObject({ state: 'refused' })
  expect(await settings()).toMatchObject({ sent_last_hour: sent + 1, per_hour: sent + 1 })
  await panel.data('PATCH', `/api/accounts/${shop.id}`, { plan: 'free' })
})
