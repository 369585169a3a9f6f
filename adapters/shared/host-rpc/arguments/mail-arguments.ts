import { z } from 'zod'
import { bytes, domain, nothing, operationId, text, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about mail, by port and method. */
export const MAIL_ARGUMENTS: Pick<ArgumentTable, 'outgoingMail' | 'mailQueue'> = {
  outgoingMail: {
    submit: z.object({ to: text(254), subject: text(1000), text: text(200_000) }),
  },
  mailQueue: {
    status: nothing,
    allowance: z.object({ username }),
    setAccount: z.object({
      username,
      perHour: z.number().int().nonnegative(),
      mainDomain: domain,
    }),
    list: z.object({
      username: username.exactOptional(),
      only: z.literal('panel').exactOptional(),
      state: z.enum(['queued', 'kept', 'sent', 'failed', 'refused']).exactOptional(),
      q: text(200).exactOptional(),
      sort: z.enum(['created_at', 'subject', 'state', 'size_bytes']),
      order: z.enum(['asc', 'desc']),
      offset: bytes,
      limit: z.number().int().min(0).max(1000),
    }),
    message: z.object({ id: operationId }),
    source: z.object({ id: operationId }),
    retry: z.object({ id: operationId }),
    remove: z.object({ id: operationId }),
    takeNews: z.object({ acknowledged: bytes }),
  },
}
