import { join } from 'node:path'
import { z } from 'zod'
import { notFound, unavailable } from '#handlers/errors.ts'
import type { OpenSite } from '#handlers/sites/site-login.ts'
import { unixFetch } from '../process/unix-fetch.ts'

/** The site's own code makes the session, in a PHP that starts for it. */
const TIMEOUT_MS = 40_000
const MAX_ANSWER_BYTES = 128 * 1024

const line = z.string().regex(/^[\x20-\x7e]{1,4000}$/)
const openedSchema = z.object({
  ok: z.literal(true),
  data: z.object({ cookies: z.array(line).max(20), location: line }),
})

/** Asks the agent what a ticket opens. 404 for one that is not good, 503 where the site or the agent does not answer. */
export const createOpenSite = (runDir: string): OpenSite => {
  const ask = unixFetch(join(runDir, 'agent-web.sock'), {
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  })
  return async (domain, ticket) => {
    const answer = await ask(
      new Request('http://agent/wordpress/enter', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ domain, ticket }),
      }),
    )
    if (answer.status === 404) throw notFound('No such ticket.')
    const opened = openedSchema.safeParse(await answer.json().catch(() => null))
    if (!opened.success) throw unavailable('The site does not answer.')
    return opened.data.data
  }
}
