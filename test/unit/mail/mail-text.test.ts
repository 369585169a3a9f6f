import { expect, it } from 'vitest'
import { mailText } from '#handlers/domain/notifications/mail-text.ts'

it('has a subject that the queue takes, however long the name of a domain is', () => {
  const domain = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61)
  for (const language of ['en', 'de'] as const) {
    const to = { username: 'admin', language, panelUrl: null }
    const { subject, text } = mailText([{ message: 'certificate.expiring', data: { domain } }], to)
    expect(subject.length).toBeLessThanOrEqual(250)
    expect(subject.endsWith('…')).toBe(true)
    expect(text).toContain(domain)
    expect(
      mailText([{ message: 'certificate.expiring', data: { domain: 'a.example' } }], to).subject,
    ).not.toContain('…')
  }
})
