import { AsyncLocalStorage } from 'node:async_hooks'
import { request as httpsRequest } from 'node:https'
import { axios } from 'acme-client'
import { unavailable } from '#handlers/errors.ts'
import { boundedAnswer } from './bounded-answer.ts'

/** How the authority of the running order is spoken to. */
interface Conversation {
  /** PEM of roots to trust instead of the system's; null: the system's. */
  ca: string | null
  signal: AbortSignal
}

/** One request, from connecting to the end of the response. */
const REQUEST_LIMIT_MS = 20_000
/** A chain of certificates is a few kilobytes. */
const MAX_ANSWER_BYTES = 2 ** 20

const conversations = new AsyncLocalStorage<Conversation>()

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : String(error)

const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/

/** What to say when an authority could not be asked. */
const failureOf = (url: URL, error: unknown) => {
  const code = codeOf(error)
  if (UNTRUSTED.test(code))
    return unavailable(
      `The certificate authority at ${url.host} shows a certificate that is not trusted here (${code}). Correct [panel] acme_directory, or name the authority's root certificate in [panel] acme_ca_file.`,
      error,
    )
  const why = error instanceof Error && /Abort|Timeout/.test(error.name) ? 'no answer' : code
  return unavailable(
    `The certificate authority at ${url.host} cannot be reached (${why}). Check [panel] acme_directory and the connection of this server, then try again.`,
    error,
  )
}

interface Sent {
  method: string
  headers: Record<string, string>
  body: string | null
}
interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

const exchange = async (
  url: URL,
  { method, headers, body }: Sent,
  conversation: Conversation,
): Promise<Answer> => {
  const signal = AbortSignal.any([conversation.signal, AbortSignal.timeout(REQUEST_LIMIT_MS)])
  const ca = conversation.ca === null ? {} : { ca: conversation.ca }
  const outgoing = httpsRequest(url, { method, headers, agent: false, signal, ...ca })
  outgoing.end(body)
  const { incoming, text } = await boundedAnswer(outgoing, MAX_ANSWER_BYTES)
  const fields = Object.entries(incoming.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as const,
  )
  return { status: incoming.statusCode ?? 502, headers: Object.fromEntries(fields), body: text }
}

/**
 * The library's own way to send knows neither a root per authority nor an end:
 * it retries for over a minute what cannot succeed, an untrusted authority too.
 */
axios.defaults.adapter = async (config) => {
  const conversation = conversations.getStore()
  if (conversation === undefined) throw new Error('an authority is spoken to outside of an order')
  const url = new URL(config.url ?? '')
  if (url.protocol !== 'https:')
    throw unavailable(`The certificate authority names an address that is not https: ${url.host}.`)
  const headers = Object.entries(config.headers.toJSON()).map(
    ([name, value]) => [name, String(value)] as const,
  )
  const sent = {
    method: (config.method ?? 'get').toUpperCase(),
    headers: Object.fromEntries(headers),
    body: typeof config.data === 'string' ? config.data : null,
  }
  const answer = await exchange(url, sent, conversation).catch((error: unknown) => {
    throw failureOf(url, error)
  })
  const { status, body } = answer
  return { data: body, status, statusText: '', headers: answer.headers, config }
}

/**
 * Runs `work`, whose requests through the library trust `ca` (PEM; null: the
 * system's roots) and end with it. 503 after `limitMs`.
 */
export const converse = async <T>(
  ca: string | null,
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          unavailable(
            `The certificate authority did not finish within ${Math.round(limitMs / 1000)} seconds. Try again later.`,
          ),
        ),
      limitMs,
    )
  })
  try {
    return await Promise.race([conversations.run({ ca, signal: controller.signal }, work), late])
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}
