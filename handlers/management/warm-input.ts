import { AppError, invalid } from '../errors.ts'
import { readBytes } from '../read-bytes.ts'
import type { WarmRequest } from './warm-port.ts'

const MAX_BODY_BYTES = 1_048_576
const MAX_URLS = 10_000
const MAX_TRIGGER = 64
const KEYS = ['urls', 'domain', 'trigger', 'deterministic']

/** The body as an object; empty when there is none. */
const readBody = async (request: Request): Promise<Record<string, unknown>> => {
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  if (bytes === null)
    throw new AppError(413, 'The body is larger than 1 MiB. Send fewer URLs at a time.')
  if (bytes.byteLength === 0) return {}
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw invalid('body', 'The body is no JSON. Send {"urls":["/"],"domain":"example.com"}.')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('body', 'The body must be an object: {"urls":["/"],"domain":"example.com"}.')
  }
  return { ...body }
}

const readUrls = (value: unknown): string[] => {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every((one): one is string => typeof one === 'string')) {
    throw invalid('urls', 'urls must be a list of texts: paths or full URLs.')
  }
  return value
}

/** A host name in lower case, in its A-label form; whether it exists is for the queue to say. */
const readDomain = (value: unknown): string | null => {
  if (value === undefined || value === null) return null
  const problem = invalid(
    'domain',
    'domain is no domain name. Give a name such as example.com, without scheme, port and path.',
  )
  if (typeof value !== 'string' || value.length > 253 || /[\s/:?#@%\\*]/.test(value)) throw problem
  try {
    return new URL(`http://${value}`).hostname
  } catch {
    throw problem
  }
}

const readTrigger = (value: unknown): string => {
  if (value === undefined || value === null) return 'manual'
  if (typeof value !== 'string' || /\p{Cc}/u.test(value) || [...value].length > MAX_TRIGGER) {
    throw invalid(
      'trigger',
      `trigger must be a text of at most ${MAX_TRIGGER} characters without control characters.`,
    )
  }
  return value === '' ? 'manual' : value
}

const readFlag = (value: unknown): boolean => {
  if (value === undefined || value === false || value === '0' || value === 'false') return false
  if (value === true || value === '1' || value === 'true') return true
  throw invalid('deterministic', 'deterministic must be true or false (1 or 0 in the query).')
}

/** The query as the body would say it: `url` repeatable, everything else once. */
const readQuery = (query: URLSearchParams): Record<string, unknown> => {
  const values: Record<string, unknown> = {}
  for (const [name, value] of query) {
    if (name === 'url') continue
    if (name === 'urls' || !KEYS.includes(name)) {
      throw invalid(
        name,
        `Unknown parameter "${name}". Use url (repeatable), domain, trigger or deterministic.`,
      )
    }
    if (name in values) throw invalid(name, `Parameter "${name}" is given twice. Give it once.`)
    if (value === '') {
      throw invalid(name, `Parameter "${name}" is empty. Give it a value or leave it out.`)
    }
    values[name] = value
  }
  return values
}

/**
 * Reads a request to warm pages: from the query, from a JSON body, or from both
 * (their URLs together). 400 for what is unknown, of the wrong type, given in
 * both, or asks for nothing; 413 for a body over 1 MiB.
 */
export const readWarm = async (request: Request): Promise<WarmRequest> => {
  const query = new URL(request.url).searchParams
  const asked = readQuery(query)
  for (const [name, value] of Object.entries(await readBody(request))) {
    if (!KEYS.includes(name)) {
      throw invalid(name, `Unknown key "${name}". Use urls, domain, trigger or deterministic.`)
    }
    if (name in asked) throw invalid(name, `${name} is given in query and body. Give it once.`)
    asked[name] = value
  }
  const urls = [...query.getAll('url'), ...readUrls(asked['urls'])]
  const deterministic = readFlag(asked['deterministic'])
  if (urls.length === 0 && !deterministic) {
    throw invalid('url', 'Nothing to warm. Give url, urls in the body, or deterministic=1.')
  }
  if (urls.length > MAX_URLS) {
    throw invalid('urls', `${urls.length} URLs are too many. Send at most ${MAX_URLS} at a time.`)
  }
  return {
    urls,
    domain: readDomain(asked['domain']),
    trigger: readTrigger(asked['trigger']),
    deterministic,
  }
}
