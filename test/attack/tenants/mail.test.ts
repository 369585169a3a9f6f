import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { runAs } from '#test/node/agent/agent-fixture.ts'
import { RELAY_SECRET } from '#test/node/mail/exim.ts'
import { createMailHost, type MailHost } from '#test/node/mail/mail-host.ts'
import { freePorts } from '#test/support/free-ports.ts'

let box: MailHost
let alice: OsUser
let mallory: OsUser
beforeAll(async () => {
  box = await createMailHost()
  alice = await box.account('alice-shop.example')
  mallory = await box.account('mallory.example')
}, 60_000)
afterAll(() => box?.dispose())

const text = 'Subject: x\n\nhello\n'
const reader = 'reader@elsewhere.example'
const socketOf = (user: OsUser) =>
  join(box.host.directory, 'run/mail', user.username, 'submit.sock')
/** What a program of `user` is told that writes these bytes to a socket. */
const written = (user: OsUser, socket: string, bytes: string) =>
  runAs(
    user,
    process.execPath,
    '-e',
    `const s = require('net').connect(process.argv[1]); let t = '';
     s.on('data', d => t += d).on('error', e => console.log(e.code)).on('end', () => console.log(t));
     s.end(Buffer.from(JSON.parse(process.argv[2]), 'latin1'))`,
    socket,
    // An argument can hold no NUL.
    JSON.stringify(bytes),
  )
const messagesOf = async ({ username }: OsUser) =>
  (await box.queue.list({ username, sort: 'created_at', order: 'desc', offset: 0, limit: 1000 }))
    .rows
const sent = async (user: OsUser, message: string, ...args: string[]) => {
  const { code } = await box.sendmail(user, args.length === 0 ? ['-t', '-i'] : args, message)
  const [newest] = await messagesOf(user)
  if (newest === undefined) throw new Error('nothing is listed')
  return { code, newest, source: newest.hasSource ? (await box.queue.source(newest)).text : '' }
}

describe('mail of an account in the hands of another', () => {
  it('cannot be submitted, by name or at the socket', async () => {
    const other = await box.sendmail(mallory, ['--as', alice.username, '-i', reader], text)
    expect(other.code).toBe(69)
    expect(await written(mallory, socketOf(alice), 'x')).toContain('EACCES')
    expect(await messagesOf(alice)).toEqual([])
  })

  it('has no place where somebody could lay a link, a socket or a file', async () => {
    for (const place of [`run/mail/${mallory.username}`, 'run/mail', 'state/mail-programs'])
      await expect(
        runAs(mallory, '/usr/bin/ln', '-s', '/etc/shadow', join(box.host.directory, place, 'x')),
      ).rejects.toThrow(/denied/i)
    await expect(runAs(mallory, '/usr/bin/rm', '-f', socketOf(mallory))).rejects.toThrow(/denied/i)
    await expect(
      runAs(mallory, '/usr/bin/ls', join(box.host.directory, 'state/mail')),
    ).rejects.toThrow(/denied/i)
    // A leftover of a crash that is none of ours leads nowhere.
    const strange = join(box.host.directory, 'state/mail/messages/strange.eml')
    await symlink('/etc/shadow', strange)
    await box.crash()
    expect(readdirSync(join(box.host.directory, 'state/mail/messages'))).toEqual([])
  })

  it('is read as it is meant, whatever the head', async () => {
    const own = `${mallory.username}@mallory.example`
    for (const from of [
      'ceo@bank.example',
      '<a@mallory.example> <ceo@bank.example>',
      'a@mallory.example, ceo@bank.example',
      '"x" <ceo@bank.example>, a@mallory.example',
      'a@mallory.example <ceo@bank.example>',
      '(a@mallory.example) ceo@bank.example',
      'g: ceo@bank.example;',
      'ceo@bank.example\0@mallory.example',
      '"ceo@bank.example',
      '=?utf-8?q?ceo=40bank.example?=',
      'a@mallory.example.bank.example',
      'a@mallory.example\r\n ,ceo@bank.example',
    ]) {
      const { newest, source } = await sent(mallory, `From: ${from}\nTo: ${reader}\n\nhello\n`)
      expect([from, newest.from]).toEqual([from, own])
      expect([from, source.match(/^From:.*$/gm)?.length]).toEqual([from, 1])
      expect(source.match(/^From:.*$/m)?.[0]).toMatch(new RegExp(`(?:^From: |<)${own}>?$`))
    }
    const once = await sent(
      mallory,
      `From: A B\r\n C <a@mallory.example>\nTo: ${reader}\nfrom: ceo@bank.example\nFROM : ceo@bank.example\nReceived: x\nResent-From: ceo@bank.example\n\nhello`,
    )
    expect(once.source).toMatch(/^From: A B C <a@mallory.example>\r$/m)
    expect(once.source).not.toContain('bank.example')
  })

  it('smuggles no second message behind a lone CR or LF, and no command into the envelope', async () => {
    const smuggled =
      'Subject: a\nTo: r@elsewhere.example\n\none\r.\rMAIL FROM:<ceo@bank.example>\n.\n\rtwo\0\n'
    const { source } = await sent(mallory, smuggled)
    expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n\0]/)
    for (const address of [
      `${reader}\r\nRCPT TO:<x@y.example>`,
      `<${reader}> SIZE=1`,
      'root',
      '-oQ/tmp@x.example y',
      '|/bin/sh@x.example y',
      '/etc/passwd',
      'a@[127.0.0.1]',
      'ä@b.example',
    ])
      expect([address, (await sent(mallory, text, '-i', '--', address)).code]).toEqual([
        address,
        67,
      ])
    const { newest } = await sent(mallory, text, '-i', '-f', 'x@mallory.example> SIZE=1', reader)
    expect(newest.sender).toBe(`${mallory.username}@mallory.example`)
  })

  it('is bounded: recipients, head, size, loops, and programs that break off', async () => {
    await box.configure({ max_message_size: 100_000 })
    const many = Array.from({ length: 100_000 }, (_, at) => `r${at}@e.example`).join(',\n ')
    for (const [message, code] of [
      [`To: ${many}\n\n`, 65],
      [`To: ${many.slice(0, 100_000)}\n\n`, 77],
      [`X: ${'a'.repeat(400_000)}\nTo: ${reader}\n\n`, 65],
      [`${'a: b\n'.repeat(3000)}To: ${reader}\n\n`, 65],
      [`${'Received: x\n'.repeat(30)}To: ${reader}\n\n`, 65],
      [`To: ${reader}\n\n${'a'.repeat(200_000)}`, 65],
      [`To: ${'('.repeat(100_000)}\n\n`, 65],
      ['\n', 64],
    ] as const)
      expect((await sent(mallory, message)).code).toBe(code)
    const before = (await messagesOf(mallory)).filter(({ state }) => state === 'kept').length
    const head = '{"sender":null,"fullName":null,"recipients":["r@e.example"],"extract":false}\n'
    for (const bytes of [
      '',
      'x\n',
      '{}\n',
      head,
      `${head}\0\0\0\x0ASubject: x`,
      `${head}\xff\xff\xff\xffSubject: x\r\n\r\n`,
      `${'x'.repeat(120_000)}`,
    ])
      expect(await written(mallory, socketOf(mallory), bytes)).not.toContain('"code":0')
    const after = (await messagesOf(mallory)).filter(({ state }) => state === 'kept').length
    expect(after).toBe(before)
  })

  it('does not wait for the flood of one account, whose refusals do not fill the list', async () => {
    await box.queue.setAccount({
      ...{ username: mallory.username, perHour: 5, mainDomain: 'mallory.example' },
    })
    await Promise.all(Array.from({ length: 12 }, () => box.sendmail(mallory, ['-i', reader], text)))
    const codes = await Promise.all(
      Array.from({ length: 3 }, () => box.sendmail(mallory, ['-i', reader], text)),
    )
    expect(codes.map(({ code }) => code)).toEqual([77, 77, 77])
    const news = await box.queue.takeNews({ acknowledged: 0 })
    expect(news.filter(({ kind }) => kind === 'limited')).toHaveLength(1)
    expect((await box.queue.allowance({ username: alice.username })).lastHour).toBe(0)
    expect((await box.sendmail(alice, ['-i', reader], text)).code).toBe(0)
  })
})

it('the secret of the relay stands in no argument, environment or log, and goes to no relay without TLS', async () => {
  const [port = 0] = await freePorts(1)
  const heard: string[] = []
  const relay = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 relay ESMTP\r\n')
    socket.on('data', (piece) => {
      heard.push(piece.toString())
      socket.write('250-relay\r\n250 AUTH PLAIN LOGIN\r\n')
    })
  })
  relay.listen(port, '127.0.0.2')
  await once(relay, 'listening')
  try {
    await box.configure({
      // By a name, so that it is no relay of this machine.
      ...box.relayTo(port, { relay: { host: '127.0.0.2.nip.invalid', port, scheme: 'smtp' } }),
    })
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      for (const file of ['cmdline', 'environ']) {
        let content = ''
        try {
          content = readFileSync(`/proc/${pid}/${file}`, 'utf8')
        } catch {
          // It has ended.
        }
        expect(content).not.toContain(RELAY_SECRET)
      }
    expect(box.host.logged.join('\n')).not.toContain(RELAY_SECRET)
    expect(heard.join('')).not.toMatch(/AUTH/)
  } finally {
    relay.close()
  }
})
