import type { MailQueuePort } from '../../../ports/host/mail/mail-queue.ts'
import type { Found } from '../../notify/notify.ts'

/** Whether mail goes out; where that cannot be asked it stays as it was. */
export const findMail = async (queue: Pick<MailQueuePort, 'status'>): Promise<Found> => {
  const status = await queue.status().catch(() => null)
  if (status === null) return { scopes: [], troubles: [] }
  const { trouble } = status
  return {
    scopes: ['mail:'],
    troubles:
      trouble === null
        ? []
        : [
            {
              key: 'mail:relay',
              message: 'mail.relay',
              data: { since: trouble.since, answer: trouble.answer },
              accountId: null,
              to: 'everybody',
            },
          ],
  }
}
