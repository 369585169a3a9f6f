import { hasBypassCookie } from '../cookies/bypass-cookies.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import { isExcluded } from '../policy/policy.ts'

/** Why a request is the origin's business alone, and never shared; null: it is not. */
export const passReason = (request: Request, context: PageCacheContext): string | null => {
  const { headers } = request
  const { exclude, bypass_cookies: cookies } = context.rule
  if (isExcluded(context.path, exclude)) return 'excluded'
  if (request.method !== 'GET' && request.method !== 'HEAD') return 'method'
  if (request.body !== null || headers.has('transfer-encoding')) return 'body'
  if (Number(headers.get('content-length') ?? 0) !== 0) return 'body'
  if (headers.has('if-match') || headers.has('if-unmodified-since')) return 'conditional'
  if (cookies !== null && hasBypassCookie(headers.get('cookie'), cookies)) return 'cookie'
  return null
}

/** Whether the origin may answer with less than everything: nobody can wait for such a response. */
export const isPartial = ({ headers }: Request): boolean =>
  headers.has('range') || headers.has('if-none-match') || headers.has('if-modified-since')
