import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { freePorts } from '#test/support/free-ports.ts'
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

const to = (address: string) => ['-i', '-f', 'shop@alice-shop.example', '--', address]

it("makes the sender the account's own and leaves out what would pass for another", async () => {
  const forged = [
    'From: "The boss, Ltd." <ceo@bank.example>',
    'From: second@bank.example',
    'Sender: ceo@bank.example',
    'Return-Path: <ceo@bank.example>',
    'X-Berth-Account: root',
    'To: reader@elsewhere.example',
    'Bcc: hidden@elsewhere.example',
  ]
  const sent = await box.sendmail(
    alice,
    ['-t', '-i', '-f', 'ceo@bank.example'],
    message('forged one', forged),
  )
  expect(sent).toEqual({ code: 0, stderr: '' })
  const own = `${alice.username}@alice-shop.example`
  const arrived = await exim.message('the text of forged one')
  expect(arrived).toContain(`Return-path: <${own}>`)
  expect(arrived).toContain(`From: "The boss, Ltd." <${own}>`)
  expect(arrived).toContain('Reply-To: ceo@bank.example')
  expect(arrived).toMatch(/Envelope-to: (?:hidden|reader)@elsewhere/)
  expect(arrived).not.toMatch(/^(?:Sender|X-Berth-|Bcc):|second@bank|<ceo@bank/m)
  expect(await box.newest(alice)).toMatchObject({ from: own, replacedFrom: 'ceo@bank.example' })
})

it('tries again what the relay puts off, and gives up what it refuses, each recipient by itself', async () => {
  await box.sendmail(
    alice,
    [...to('later@elsewhere.example'), 'nobody@elsewhere.example'],
    message('put off'),
  )
  const { id } = await box.newest(alice)
  const waiting = await box.until(id, ({ attempts }) => attempts === 1)
  expect(waiting.state).toBe('queued')
  expect(waiting.recipients).toMatchObject([
    {
      address: 'later@elsewhere.example',
      state: 'waiting',
      answer: expect.stringContaining('come back later'),
    },
    {
      address: 'nobody@elsewhere.example',
      state: 'failed',
      answer: expect.stringContaining('no such user here'),
    },
  ])
  expect(Date.parse(`${waiting.nextAttemptAt?.replace(' ', 'T')}Z`)).toBeGreaterThan(
    Date.now() + 200_000,
  )
  await exim.acceptLater()
  await box.queue.retry({ id })
  await exim.message('the text of put off')
  const ended = await box.until(id, ({ endedAt }) => endedAt !== null)
  expect([ended.state, ended.recipients.map(({ state }) => state)]).toEqual([
    'failed',
    ['sent', 'failed'],
  ])
  expect(await box.queue.takeNews({ acknowledged: 0 })).toMatchObject([
    {
      kind: 'failed',
      username: alice.username,
      message: id,
      told: expect.stringContaining('nobody@elsewhere.example'),
    },
  ])
})

it('counts nothing as tried while the relay is dead, its certificate wrong or the login refused', async () => {
  const [dead = 0] = await freePorts(1)
  const whenWrong = async (change: Parameters<typeof box.configure>[0]): Promise<string> => {
    await box.configure(change)
    await box.sendmail(alice, to('reader@elsewhere.example'), message('waits'))
    const { id } = await box.newest(alice)
    const { attempts, answer } = await box.until(id, (mail) => mail.answer !== null)
    expect(attempts).toBe(0)
    // What is wrong is told to those who can mend it.
    expect(answer).toBe('The mail relay of this server cannot be used at present.')
    await box.queue.remove({ id })
    return (await box.queue.status()).trouble?.answer ?? ''
  }
  const ca = { ca_file: exim.authorityFile }
  expect(await whenWrong(box.relayTo(dead, ca))).toContain('ECONNREFUSED')
  expect(
    await whenWrong({
      relay: { host: 'localhost', port: exim.tlsPort, scheme: 'smtps' },
      ca_file: null,
    }),
  ).toMatch(/certificate/)
  expect(await whenWrong({ ...box.relayTo(exim.startTlsPort, ca), username: 'somebody' })).toMatch(
    /535|[Aa]uth/,
  )
  await box.configure({
    ...box.relayTo(exim.tlsPort, ca),
    relay: { host: 'localhost', port: exim.tlsPort, scheme: 'smtps' },
  })
  await box.sendmail(alice, to('reader@elsewhere.example'), message('by TLS at once'))
  await exim.message('the text of by TLS at once')
  expect((await box.queue.status()).trouble).toBeNull()
})

it('keeps everything over a crash of the process, and holds what a suspended account sent', async () => {
  const [dead = 0] = await freePorts(1)
  await box.configure(box.relayTo(dead))
  await box.sendmail(alice, to('reader@elsewhere.example'), message('over a crash'))
  const { id } = await box.newest(alice)
  const { username } = alice
  await box.host.users.suspend({ operationId: 'suspend', username })
  await box.crash()
  await box.configure(box.relayTo(exim.startTlsPort, { ca_file: exim.authorityFile }))
  const bob = await box.account('bob-shop.example')
  await box.sendmail(bob, ['-i', 'reader@elsewhere.example'], message('of another'))
  await exim.message('the text of of another')
  expect(await box.queue.message({ id })).toMatchObject({ state: 'queued', attempts: 0 })
  const refused = await box.sendmail(alice, to('reader@elsewhere.example'), message('while closed'))
  expect(refused).toMatchObject({ code: 69, stderr: expect.stringContaining('suspended') })
  await box.host.users.unsuspend({ operationId: 'unsuspend', username })
  await exim.message('the text of over a crash')
  await box.host.users.remove({ operationId: 'remove', username: bob.username })
  const left = await box.queue.list({
    username: bob.username,
    sort: 'created_at',
    order: 'asc',
    offset: 0,
    limit: 10,
  })
  expect(left.total).toBe(0)
})

it('sends what PHP hands to mail()', async () => {
  const script = `var_dump(mail('reader@elsewhere.example', 'From PHP', "the text of PHP's mail\n", ['From' => 'shop@alice-shop.example']));`
  const php = await box.php(alice, script)
  expect(php).toContain('bool(true)')
  expect(await exim.message("the text of PHP's mail")).toContain('Subject: From PHP')
  await box.queue.setAccount({
    ...{ username: alice.username, perHour: 1, mainDomain: 'alice-shop.example' },
  })
  expect(await box.php(alice, script)).toContain('bool(false)')
})
