import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { z } from 'zod'
import { DNS_ACCESS_PATTERNS, parseAcmeDns } from '#handlers/domain/certificates/dns-access.ts'
import { invalid, unavailable } from '#handlers/errors.ts'
import { checkPublicHost, guardedLookup, publicLookup } from '../../../../process/guarded-lookup.ts'
import { boundedAnswer } from '../../bounded-answer.ts'
import type { KeptAccess, Registration } from '../access-files.ts'
import { requireGood, type ZoneUpdates } from '../update-zone.ts'

/** A server that shows text records and nothing else, by its own API (joohoi's acme-dns). */
export interface AcmeDns {
  /** Makes a record of its own; 400 (`server`) for an address that may not be asked, 503 for what is no answer. */
  register(access: Pick<KeptAccess, 'name' | 'server'>): Promise<Registration>
  updates: ZoneUpdates
}

/** One exchange, the connection included. */
const LIMIT_MS = 15_000
const MAX_ANSWER_BYTES = 16_384

const { given, target } = DNS_ACCESS_PATTERNS
const registeredSchema = z
  .object({
    username: z.string().regex(given),
    password: z.string().regex(given),
    fulldomain: z.string().max(253).toLowerCase().regex(target),
    subdomain: z.string().toLowerCase(),
  })
  .refine(({ fulldomain, subdomain }) => fulldomain.startsWith(`${subdomain}.`))

/** What is said of an answer. The server's own words never are: a tenant chose it. */
const failure = ({ name }: Pick<KeptAccess, 'name'>, why: string) =>
  unavailable(`The acme-dns of the DNS access "${name}" cannot be used: ${why}, then try again.`)

interface Answer {
  status: number
  body: unknown
}

const exchange = async (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  { mayBeLocal, limitMs }: { mayBeLocal: boolean; limitMs: number },
): Promise<Answer> => {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const outgoing = send(url, {
    ...{ method: 'POST', agent: false, signal: AbortSignal.timeout(limitMs) },
    // What is judged is what is connected to.
    lookup: mayBeLocal ? guardedLookup(true) : publicLookup,
    headers: {
      ...{ accept: 'application/json', 'content-type': 'application/json' },
      ...{ 'content-length': String(Buffer.byteLength(body)), ...headers },
    },
  })
  outgoing.end(body)
  const { incoming, text } = await boundedAnswer(outgoing, MAX_ANSWER_BYTES)
  let read: unknown = null
  try {
    read = JSON.parse(text)
  } catch {
    // Its status is judged.
  }
  return { status: incoming.statusCode ?? 502, body: read }
}

/** Speaks to acme-dns servers, which lie in the internet unless `mayBeLocal`. Redirects are not followed. */
export const createAcmeDns = (mayBeLocal: boolean, limitMs = LIMIT_MS): AcmeDns => {
  const urlOf = (access: Pick<KeptAccess, 'server'>, path: string): URL => {
    const base = parseAcmeDns(access.server ?? '')
    if (base === null) throw invalid('server', 'server must be the address of an acme-dns.')
    const url = new URL(`${base.href.replace(/\/$/, '')}${path}`)
    if (mayBeLocal) return url
    if (url.protocol !== 'https:')
      throw invalid('server', 'server must be asked by https, since it is told what opens it.')
    try {
      checkPublicHost(url.hostname)
    } catch {
      throw notInTheInternet(url)
    }
    return url
  }
  const notInTheInternet = ({ hostname }: URL) =>
    invalid(
      'server',
      `server ${hostname} does not lie in the internet. An administrator can allow that: allow_local_dns = true in [ssl].`,
    )
  const call = async (
    access: Pick<KeptAccess, 'name' | 'server'>,
    path: string,
    headers: Readonly<Record<string, string>>,
    sent: unknown,
  ): Promise<Answer> => {
    const url = urlOf(access, path)
    try {
      return await exchange(url, headers, JSON.stringify(sent), { mayBeLocal, limitMs })
    } catch (error) {
      if (error instanceof Error && error.name === 'RefusedAddressError')
        throw notInTheInternet(url)
      // The error names addresses; none of that helps.
      throw failure(access, 'it does not answer, or not as an acme-dns does. Correct its address')
    }
  }

  return {
    async register(access) {
      const { status, body } = await call(access, '/register', {}, {})
      const read = registeredSchema.safeParse(body)
      if (status === 201 && read.success) {
        const { username, password, fulldomain } = read.data
        return { username, password, target: fulldomain }
      }
      if (status === 401 || status === 403 || status === 404)
        throw failure(access, 'it lets nobody register. Allow that there')
      throw failure(access, 'it does not answer as an acme-dns does. Correct its address')
    },
    updates: {
      async add(access, record) {
        requireGood(record)
        const { registration } = access
        if (registration?.target !== record.name)
          throw failure(access, `${record.name} is not its record. Look at the CNAME record`)
        const { username, password } = registration
        const { status } = await call(
          access,
          '/update',
          { 'x-api-user': username, 'x-api-key': password },
          { subdomain: record.name.split('.')[0], txt: record.value },
        )
        if (status === 200) return
        if (status === 401)
          throw failure(access, 'it does not know what it registered any more. Add it anew')
        throw failure(access, 'it does not take the record. Look at it')
      },
      // It takes nothing away: of its two records the next one replaces the older.
      async remove() {},
    },
  }
}
