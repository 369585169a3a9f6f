import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { startExim, type Exim } from './exim.ts'
import { createMailHost, type MailHost } from './mail-host.ts'

let exim: Exim
let box: MailHost
let alice: OsUser

beforeAll(async () => {
  ;[exim, box] = await Promise.all([startExim(), createMailHost()])
  alice = await box.account('alice-shop.example')
}, 60_000)
afterAll(async () => {
  await box?.dispose()
  await exim?.stop()
})

const message = (subject: string, lines: readonly string[] = []): string =>
  [`Subject: ${subject}`, ...lines, '', `the text of ${subject}`, ''].join('\n')

it('keeps messages without a relay, shows them, and sends them when one comes', async () => {
  const sent = await box.sendmail(
    alice,
    ['-t', '-i'],
    message('kept first', [
      'To: Reader <reader@elsewhere.example>',
      'From: shop@alice-shop.example',
    ]),
  )
  expect(sent).toEqual({ code: 0, stderr: '' })
  const kept = await box.newest(alice)
  expect(kept).toMatchObject({
    state: 'kept',
    subject: 'kept first',
    from: 'shop@alice-shop.example',
    replacedFrom: null,
    recipients: [{ address: 'reader@elsewhere.example', state: 'waiting', answer: null }],
    hasSource: true,
  })
  expect((await box.queue.source({ id: kept.id })).text).toContain('the text of kept first')
  expect(
    await box.mail.outgoingMail.submit({
      to: 'admin@elsewhere.example',
      subject: 'Grüße',
      text: 'Hällo\n',
    }),
  ).toMatchObject({ state: 'kept' })

  await box.configure(box.relayTo(exim.startTlsPort, { ca_file: exim.authorityFile }))
  const arrived = await exim.message('the text of kept first')
  expect(arrived).toContain('Return-path: <shop@alice-shop.example>')
  expect(arrived).toContain('From: shop@alice-shop.example')
  expect(arrived).toMatch(/Message-ID: <\w+@alice-shop\.example>/)
  expect(await exim.message('admin@elsewhere.example')).toContain(
    'From: Berth <berth@server.example>',
  )
  expect(await box.until(kept.id, ({ state }) => state === 'sent')).toMatchObject({
    hasSource: false,
    attempts: 1,
  })
})
