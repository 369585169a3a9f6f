import type { IncomingMessage } from 'node:http'
import { Visitor } from '../../figures/visitor.ts'
import { logTail, type AccessRecord } from '../../log/access-log.ts'

/** What the log and the figures have of who asks. `host`: the requested name, as in the log. */
export const visitorOf = (
  { headers }: Pick<IncomingMessage, 'headers'>,
  address: string,
  host: string,
): Pick<AccessRecord, 'tail' | 'visitor'> => {
  const referer = headers.referer ?? null
  const agent = headers['user-agent'] ?? null
  const forwarded = headers['x-forwarded-for'] ?? null
  const joined = typeof forwarded === 'string' ? forwarded : (forwarded?.join(',') ?? null)
  return {
    tail: logTail(referer, agent, host),
    visitor: new Visitor(host, address, agent, referer, () => joined),
  }
}
