import { timestamp } from '../../domain/text/timestamp.ts'
import type { MailStatus } from '../../ports/host/mail/mail-queue.ts'
import type { Diagnosis } from './finding.ts'

/** A relay that is started again comes back within that. */
const TROUBLE_SECS = 10 * 60
/** Longer than the longest pause between two tries. */
const OLD_SECS = 6 * 3600

const finding = (part: Pick<Diagnosis, 'level' | 'what' | 'fix'>): Diagnosis => ({
  kind: 'mail',
  subject: 'outgoing mail',
  ...part,
  repair: null,
  username: null,
})

/** A relay that cannot be used, and messages that wait too long. Null: the queue did not answer. */
export const findMail = (status: MailStatus | null, nowMs: number): Diagnosis[] => {
  const before = (secs: number): string => timestamp(nowMs - secs * 1000)
  if (status === null)
    return [
      finding({
        level: 'fault',
        what: 'the mail queue does not answer',
        fix: "Look into the agent's log, and restart Berth.",
      }),
    ]
  const { relay, trouble, counts, oldestWaiting } = status
  if (relay === null)
    return counts.kept === 0
      ? []
      : [
          finding({
            level: 'warning',
            what: `${counts.kept} messages are kept, for there is no relay`,
            fix: 'Set [mail] relay in the configuration; see docs/mail.md.',
          }),
        ]
  if (trouble !== null && trouble.since <= before(TROUBLE_SECS))
    return [
      finding({
        level: 'fault',
        what: `the relay ${relay} cannot be used since ${trouble.since}: ${trouble.answer}`,
        fix: 'Put right relay, login or certificate in [mail] of the configuration, or the relay itself. Then: berth mail test you@example.com',
      }),
    ]
  if (oldestWaiting !== null && oldestWaiting <= before(OLD_SECS))
    return [
      finding({
        level: 'warning',
        what: `a message waits since ${oldestWaiting}; ${counts.queued} wait in all`,
        fix: 'See what the relay says of them: berth mail list --state queued',
      }),
    ]
  return []
}
