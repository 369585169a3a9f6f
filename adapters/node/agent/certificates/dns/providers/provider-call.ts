import { setTimeout as delay } from 'node:timers/promises'
import { isProvider, type DnsProvider } from '#handlers/domain/certificates/dns-access.ts'
import { unavailable } from '#handlers/errors.ts'
import type { KeptAccess } from '../access-files.ts'

export interface ProviderAnswer {
  status: number
  /** Null: it is no JSON. */
  body: unknown
}

/** One request to the API of a provider; throws 503 for what is no answer to the question. */
export type ProviderCall = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<ProviderAnswer>

const PROVIDER_NAMES: Record<DnsProvider, string> = { cloudflare: 'Cloudflare', desec: 'deSEC' }

const LIMIT_MS = 15_000
const MAX_ANSWER_BYTES = 2 ** 20
/** Longer than this nobody waits in an order. */
const MAX_WAIT_SECS = 20

/** What is said of an answer. The provider's own words never are: they could repeat the token. */
export const providerFailure = (access: KeptAccess, why: string) => {
  const provider = isProvider(access.kind) ? PROVIDER_NAMES[access.kind] : access.kind
  return unavailable(
    `${provider} cannot be used for the DNS access "${access.name}": ${why}, then try again.`,
  )
}

const readBounded = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array
    sizeBytes += bytes.length
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error('the answer is too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const secsToWait = (response: Response): number => {
  const text = response.headers.get('retry-after') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : MAX_WAIT_SECS + 1
}

/** Calls below `base`, with the token in the header. Redirects are not followed: the token would be. */
export const createProviderCall = (
  access: KeptAccess,
  base: string,
  authorization: string,
): ProviderCall => {
  const once = async (method: string, path: string, body: unknown) => {
    try {
      const response = await fetch(`${base}${path}`, {
        ...{ method, redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) },
        headers: {
          ...{ authorization, accept: 'application/json' },
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { response, text: await readBounded(response) }
    } catch {
      // The error names addresses and options; none of that helps.
      throw providerFailure(access, 'it does not answer. Check the connection of this server')
    }
  }
  return async (method, path, body) => {
    let { response, text } = await once(method, path, body)
    if (response.status === 429) {
      const secs = secsToWait(response)
      if (secs <= MAX_WAIT_SECS) {
        await delay(secs * 1000)
        ;({ response, text } = await once(method, path, body))
      }
      if (response.status === 429)
        throw providerFailure(access, 'it takes no more requests for now. Wait some minutes')
    }
    const { status } = response
    if (status === 401 || status === 403)
      throw providerFailure(
        access,
        'it does not accept the token, or the token may not do this. Make one that may change the records of the zone',
      )
    if (status >= 500 || (status >= 300 && status < 400))
      throw providerFailure(access, `its API answers with status ${status}. Wait a while`)
    return { status, body: parsed(text) }
  }
}
