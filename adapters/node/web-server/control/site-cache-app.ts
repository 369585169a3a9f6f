import { z } from 'zod'
import { isAppError } from '#handlers/errors.ts'
import type { SiteCache } from './site-cache.ts'

const purgeBody = z.object({
  domain: z.string(),
  scope: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('all') }),
    z.object({ kind: z.literal('paths'), paths: z.array(z.string()).min(1) }),
    z.object({ kind: z.literal('tags'), tags: z.array(z.string()).min(1) }),
  ]),
  cause: z.string().max(128).optional(),
})
const insightBody = z.object({ domain: z.string() })
const warmBody = z.object({
  domain: z.string(),
  batch: z.string().min(1).max(50),
  urls: z.array(z.string()),
  discover: z.boolean(),
})
const forgetBody = z.object({ domain: z.string(), name: z.string().min(1).max(1024).nullable() })
const progressBody = z.object({ batch: z.string() })

const json = (data: unknown, status = 200): Response =>
  new Response(JSON.stringify(data), { status, headers: { 'content-type': 'application/json' } })

/** Reads the body, does the work, and answers `{error, field?}` with its status where it fails. */
const answer = async <T>(
  request: Request,
  schema: z.ZodType<T>,
  work: (body: T) => unknown,
): Promise<Response> => {
  const parsed = schema.safeParse(await request.json().catch(() => null))
  if (!parsed.success) return json({ error: z.prettifyError(parsed.error) }, 400)
  try {
    return json(await work(parsed.data))
  } catch (error) {
    if (!isAppError(error)) throw error
    return json({ error: error.message, field: error.field }, error.status)
  }
}

/** The part of `web.sock` below `/cache/`; null for other routes. */
export const serveSiteCache = async (
  request: Request,
  route: string,
  cache: SiteCache,
): Promise<Response | null> => {
  switch (route) {
    case 'GET /cache':
      return json(await cache.report())
    case 'POST /cache/purge':
      return answer(request, purgeBody, ({ domain, scope, cause }) =>
        cache.purge(domain, scope, cause),
      )
    case 'POST /cache/insight':
      return answer(request, insightBody, ({ domain }) => cache.insight(domain))
    case 'POST /cache/warm':
      return answer(request, warmBody, (order) => cache.warm(order))
    case 'POST /cache/forget-cookie':
      return answer(request, forgetBody, ({ domain, name }) => cache.forgetCookie(domain, name))
    case 'POST /cache/warm-progress':
      return answer(request, progressBody, ({ batch }) => cache.warmProgress(batch))
    default:
      return null
  }
}
