import { isUtf8 } from 'node:buffer'

/** Names that the dynamic linker, the C library, a shell or PHP would act upon before the script runs. */
const UNWANTED =
  /^(?:(?:LD|GLIBC|MALLOC|BASH|PHP|ZEND|USE_ZEND|OPENSSL)_.*|(?:PATH|HOME|SHELL|IFS|ENV|TMPDIR|PHPRC|LOCPATH|NLSPATH|GCONV_PATH|RES_OPTIONS|LOCALDOMAIN|HOSTALIASES|HTTP_PROXY))$/
/** The one with a hyphen is read by plugins of LiteSpeed's cache, by that name. */
const NAME = /^(?:[A-Za-z_][A-Za-z0-9_]*|X-LSCACHE)$/

/** What is wrong with a PARAMS stream. */
export class ParamsError extends Error {}

const readLength = (content: Buffer, at: number): { value: number; next: number } => {
  const first = content[at]
  if (first === undefined) throw new ParamsError('a length is missing')
  if (first < 128) return { value: first, next: at + 1 }
  if (at + 4 > content.length) throw new ParamsError('a length is cut off')
  return { value: content.readUInt32BE(at) & 0x7fffffff, next: at + 4 }
}

/** An environment holds text; bytes that are no UTF-8 are taken for Latin-1, the old meaning of header values. */
const textOf = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')

/**
 * php-cgi ignores its command line, our settings with it, when the query begins
 * with `-` and has no `=` (it takes it for arguments of an ISINDEX query). An
 * empty parameter in front says the same to scripts and is no option.
 */
const guardedQuery = (query: string): string => {
  if (query.includes('=')) return query
  return /^(?:[\s+]|%(?:09|0[a-d]|20))*(?:-|%2d)/i.test(query) ? `&${query}` : query
}

/**
 * The environment of a CGI program (RFC 3875, 4.1) out of a PARAMS stream
 * (FastCGI 1.0, 3.4): these variables and nothing else. Throws `ParamsError`.
 */
export const cgiEnvironment = (content: Buffer): Record<string, string> => {
  const environment: Record<string, string> = {}
  for (let at = 0; at < content.length;) {
    const name = readLength(content, at)
    const value = readLength(content, name.next)
    const valueAt = value.next + name.value
    if (valueAt + value.value > content.length) throw new ParamsError('a variable is cut off')
    const key = content.toString('latin1', value.next, valueAt)
    const bytes = content.subarray(valueAt, valueAt + value.value)
    at = valueAt + value.value
    if (NAME.test(key) && !UNWANTED.test(key) && !bytes.includes(0))
      environment[key] = textOf(bytes)
  }
  if (environment['QUERY_STRING'] !== undefined)
    environment['QUERY_STRING'] = guardedQuery(environment['QUERY_STRING'])
  // php-cgi refuses to work without it (cgi.force_redirect).
  environment['REDIRECT_STATUS'] = '200'
  return environment
}
