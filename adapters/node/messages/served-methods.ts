import { METHODS } from 'node:http'

/** No method that is registered has half as many characters. */
export const MAX_METHOD_BYTES = 64

/** They make tunnels and echoes, which no site offers; no Fetch request can have them either. */
const REFUSED = new Set(['CONNECT', 'TRACE', 'TRACK'])
/** Methods that Fetch knows in any case, but HTTP in upper case alone (RFC 9110, 9.1): as another text they would turn into these. */
const CASED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'])
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const KNOWN: ReadonlySet<string> = new Set(METHODS.filter((method) => !REFUSED.has(method)))

/**
 * The status that refuses a method; null: it reaches the site, whichever protocol it
 * came by. Any token does (RFC 9110, 9.1), since applications have methods of their
 * own, and what a page or a file has to say to another method than GET is theirs to say (405).
 */
export const refusalOfMethod = (method: string): 400 | 501 | null => {
  if (KNOWN.has(method)) return null
  if (method.length > MAX_METHOD_BYTES || !TOKEN.test(method)) return 400
  const upper = method.toUpperCase()
  return REFUSED.has(upper) || CASED.has(upper) ? 501 : null
}
