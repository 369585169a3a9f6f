import { describe, expect, it } from 'vitest'
import { submissionHeadSchema } from '#adapters/node/mail/submission-head.ts'
import { rewriteHead } from '#handlers/domain/mail/rewrite-head.ts'

const sender = { domains: ['own.example'], fallback: 'alice@own.example' }
const facts = { date: 'NOW', messageId: '<1@own.example>', received: 'by here' }

/** Bytes of the head that a message gets by `-F`, as they go to the relay. */
const headOf = (name: string): Buffer => {
  const { fullName } = submissionHeadSchema.parse({
    ...{ sender: null, recipients: ['r@e.example'], extract: false },
    fullName: name,
  })
  const fields = [{ name: 'From', value: ` ${fullName} <${sender.fallback}>` }]
  return Buffer.from(rewriteHead(fields, sender, facts).text, 'latin1')
}
const fromOf = (head: Buffer): string | undefined =>
  head
    .toString('utf8')
    .split('\r\n')
    .find((line) => line.startsWith('From:'))

describe('a full name of sendmail', () => {
  it('goes out as it was written', () => {
    expect(fromOf(headOf('Öffentliches Büro'))).toBe(
      'From: "Öffentliches Büro" <alice@own.example>',
    )
  })

  it('begins no line and names no address, whatever the lower bytes of its characters are', () => {
    const low = (text: string): string =>
      Array.from(text, (one) => String.fromCharCode(0x100 + one.charCodeAt(0))).join('')
    const name = `a${low('"\r\nFrom: <ceo@bank.example>\r\n\r\nbody')}`
    const head = headOf(name)
    const text = head.toString('latin1')
    expect(text.match(/^From:/gm)).toHaveLength(1)
    expect(text).not.toContain('bank')
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(fromOf(head)).toBe(`From: "${name}" <alice@own.example>`)
    expect(fromOf(headOf('a"\r\nBcc: <x@y.example>'))).toBe(
      'From: "a Bcc x y.example" <alice@own.example>',
    )
  })
})
