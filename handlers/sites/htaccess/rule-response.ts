import { isScriptSource } from '../../domain/files/script-source.ts'
import { isHiddenPath } from '../paths/path-rules.ts'
import type { NormalTarget } from '../paths/request-path.ts'
import { normalizeTarget } from '../paths/request-path.ts'
import { escapePath } from '../rewrite/escape-location.ts'
import type { Plan } from './plan.ts'
import type { ErrorDocument } from './files/settings.ts'

/** A name in quotes as in `WWW-Authenticate` (RFC 9110, 5.6.4). */
const quoted = (text: string): string =>
  `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`

/** Headers that belong to a response of the rules. */
export const ruleHeaders = ({
  location,
  realm,
}: NonNullable<Plan['answer']>): Record<string, string> => ({
  ...(location === null ? {} : { location }),
  ...(realm === null ? {} : { 'www-authenticate': `Basic realm=${quoted(realm)}` }),
})

/** A plain answer with a text of the site's own. */
export const textResponse = (
  method: string,
  status: number,
  text: string,
  headers: Record<string, string>,
): Response => {
  const body = new TextEncoder().encode(text)
  return new Response(method === 'HEAD' ? null : body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(body.byteLength),
      ...headers,
    },
  })
}

/** Where the page of an error lies; null when it may not be used. */
export const documentTarget = (
  document: Extract<ErrorDocument, { kind: 'path' }>,
): NormalTarget | null => {
  const [path = '', ...query] = document.path.split('?')
  const target = normalizeTarget(escapePath(path))
  if (!target?.file || isHiddenPath(target.file)) return null
  if (isScriptSource(target.file) && !target.file.endsWith('.php')) return null
  return { ...target, query: query.length === 0 ? null : query.join('?') }
}
