import { describe, expect, it } from 'vitest'
import { completeMail, parseRelay } from '#handlers/domain/config/mail/mail-section.ts'
import { readAddressList } from '#handlers/domain/mail/address-list.ts'
import { decodeWords } from '#handlers/domain/mail/decode-words.ts'
import { readHeaderBlock } from '#handlers/domain/mail/header-block.ts'
import { isMailAddress } from '#handlers/domain/mail/mail-address.ts'
import { messagePauseMs, relayPauseMs } from '#handlers/domain/mail/retry-times.ts'
import { recipientsOf, rewriteHead } from '#handlers/domain/mail/rewrite-head.ts'

const sender = { domains: ['own.example', 'www.own.example'], fallback: 'alice@own.example' }
const facts = { date: 'NOW', messageId: '<1@own.example>', received: 'by here' }
const fieldsOf = (head: string) =>
  readHeaderBlock(`${head.replaceAll('\n', '\r\n')}\r\n\r\n`)?.fields ?? []
const lines = (head: string): string[] =>
  rewriteHead(fieldsOf(head), sender, facts).text.trimEnd().split('\r\n')

describe('the head of a message', () => {
  it('is read up to the first line that is no field', () => {
    const text = 'From someone Mon\r\nA: 1\r\n 2\r\nB : x\r\nno field here\r\n\r\nbody'
    const block = readHeaderBlock(text)
    expect(block?.fields).toEqual([
      { name: 'A', value: ' 1\r\n 2' },
      { name: 'B', value: ' x' },
    ])
    expect(text.slice(block?.bodyAt)).toBe('no field here\r\n\r\nbody')
    expect(readHeaderBlock('a: b\r\n'.repeat(1001))).toBeNull()
  })

  it('keeps a sender of its own, in any of its domains', () => {
    expect(lines('From: Shop <Info@WWW.own.example>\nTo: r@e.example')).toEqual([
      'Received: by here',
      'To: r@e.example',
      'From: Shop <Info@WWW.own.example>',
      'Date: NOW',
      'Message-ID: <1@own.example>',
    ])
  })

  it('replaces any other, whose name stays, and to whom answers go', () => {
    const head = lines(
      'From: "B, C" <ceo@bank.example>\nDate: then\nMessage-ID: <x>\nTo: r@e.example',
    )
    expect(head).toContain('From: "B, C" <alice@own.example>')
    expect(head).toContain('Reply-To: ceo@bank.example')
    const answered = lines('From: ceo@bank.example\nReply-To: x@y.example\nTo: r@e.example')
    expect(answered.filter((line) => /^Reply-To/.test(line))).toEqual(['Reply-To: x@y.example'])
  })

  it('is given what it lacks', () => {
    expect(lines('Subject: x')).toEqual([
      'Received: by here',
      'Subject: x',
      'From: alice@own.example',
      'Date: NOW',
      'Message-ID: <1@own.example>',
      'To: undisclosed-recipients:;',
    ])
  })
})

it('recipients are those of To, Cc and Bcc, each once and not too many', () => {
  const head =
    'To: A <a@e.example>, "b, c" <b@e.example>\nCc: g: c@e.example, a@e.example;\nBcc: d@e.example\nTo: e@e.example'
  expect(recipientsOf(fieldsOf(head), 50)).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@e.example`),
  )
  expect(recipientsOf(fieldsOf(head), 2)).toHaveLength(3)
  expect(recipientsOf(fieldsOf('To: undisclosed-recipients:;'), 5)).toEqual([])
  for (const odd of [
    'a@e.example <b@e.example> c',
    '<a@e.example',
    '"a',
    '(a',
    '<a@e.example><b@e.example>',
  ])
    expect([odd, readAddressList(odd, 5)]).toEqual([odd, null])
})

it.each([
  ['a@b.example', true],
  ['a.b+c@b-c.example', true],
  ['a@b', false],
  ['a@-b.example', false],
  ['a@b..example', false],
  ['.a@b.example', false],
  ['"a b"@c.example', false],
  ['a@b.example\r\n', false],
  ['@b.example', false],
  [`${'a'.repeat(65)}@b.example`, false],
  [`a@${'b.'.repeat(130)}example`, false],
])('%j is an address: %s', (text, expected) => {
  expect(isMailAddress(text)).toBe(expected)
})

it('subjects are shown as people read them', () => {
  expect(decodeWords('=?utf-8?B?R3LDvMOfZQ==?= =?UTF-8?q?_an_Zo=C3=AB?= x', 250)).toBe(
    'Grüße an Zoë x',
  )
  expect(decodeWords(Buffer.from('Grüße').toString('latin1'), 250)).toBe('Grüße')
  expect(decodeWords('=?nonsense?B?xx?= a\u0007b', 250)).toBe('=?nonsense?B?xx?= a b')
  expect(decodeWords('x'.repeat(1000), 10)).toBe('x'.repeat(10))
})

it('pauses grow and end somewhere', () => {
  expect([1, 2, 3, 99].map((tries) => messagePauseMs(tries) / 60_000)).toEqual([5, 10, 20, 240])
  expect([1, 2, 99].map((tries) => relayPauseMs(tries) / 1000)).toEqual([10, 20, 300])
})

it('a relay is a scheme, a host and perhaps a port', () => {
  expect(parseRelay('smtp://mail.example.com')).toEqual({
    scheme: 'smtp',
    host: 'mail.example.com',
    port: 587,
  })
  expect(parseRelay('smtps://mail.example.com/')).toMatchObject({ port: 465 })
  expect(parseRelay('smtp://[::1]:25')).toEqual({ scheme: 'smtp', host: '::1', port: 25 })
  expect(parseRelay('smtp://h:80')).toMatchObject({ port: 80 })
  for (const bad of [
    'mail.example.com',
    'http://x',
    'smtp://',
    'smtp://a:b@c',
    'smtp://c/x',
    'smtp://c?x',
    'smtp://c:99999',
  ])
    expect([bad, parseRelay(bad)]).toEqual([bad, null])
  expect(completeMail({}, () => null)).toMatchObject({
    relay: null,
    max_recipients: 50,
    retry_hours: 72,
  })
})
