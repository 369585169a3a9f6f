import { expect, it } from 'vitest'
import type { MailStatus } from '#handlers/ports/host/mail/mail-queue.ts'
import { findMail } from '#handlers/services/doctor/find-mail.ts'
import { createFakeMail } from '#test/fakes/mail/fake-mail.ts'

const NOW = Date.UTC(2026, 0, 2, 12)
const at = async (change: Partial<MailStatus>) =>
  findMail({ ...(await createFakeMail().mailQueue.status()), ...change }, NOW)
const counts = { queued: 2, kept: 3, sent: 0, failed: 0, refused: 0 }
const relay = 'mail.example.com:587'

it('the doctor tells of a relay that cannot be used and of messages that wait too long', async () => {
  expect(await at({})).toEqual([])
  expect(await at({ counts })).toMatchObject([
    { level: 'warning', what: expect.stringContaining('3 messages are kept') },
  ])
  const trouble = { since: '2026-01-02 11:40:00', answer: '535 no' }
  expect(await at({ relay, trouble })).toMatchObject([
    { level: 'fault', what: expect.stringContaining('535 no') },
  ])
  expect(await at({ relay, trouble: { ...trouble, since: '2026-01-02 11:55:00' } })).toEqual([])
  expect(await at({ relay, counts, oldestWaiting: '2026-01-02 01:00:00' })).toMatchObject([
    { level: 'warning', what: expect.stringContaining('2 wait') },
  ])
  expect(findMail(null, NOW)).toMatchObject([{ level: 'fault' }])
})
