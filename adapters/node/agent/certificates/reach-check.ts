import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { checkPublicHost, publicLookup } from '../../process/guarded-lookup.ts'

/** How names are asked; the defaults are what certificate authorities do. */
export interface ReachOptions {
  /** Port of the first request. Default: 80. */
  port?: number
  /** Default: the system's. */
  lookup?: LookupFunction
  /** For one name. Default: 10000. */
  limitMs?: number
}

const MAX_REDIRECTS = 10
const MAX_BODY_BYTES = 1024

const ask = (url: URL, signal: AbortSignal, lookup: LookupFunction | undefined) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? httpsRequest : httpRequest)(url, {
      agent: false,
      signal,
      headers: { accept: '*/*', 'user-agent': 'Berth' },
      ...(lookup === undefined ? {} : { lookup }),
      // Authorities follow to sites whose certificate is the very thing that is missing.
      ...(secure ? { rejectUnauthorized: false } : {}),
    })
    outgoing.on('error', reject)
    outgoing.on('response', resolve)
    outgoing.end()
  })

const readText = async (incoming: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > MAX_BODY_BYTES) break
  }
  incoming.destroy()
  return text
}

const reasonOf = (name: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA')
    return `${name} has no address in the DNS.`
  return `Nothing answers at ${name}, port 80.`
}

/**
 * Asks for a token at a name as an authority would: over http, following
 * redirects to the usual ports. Null when `content` came back, else why not, in
 * words that tell nothing else of who answered.
 */
export const checkReach = async (
  name: string,
  proof: { token: string; content: string },
  options: ReachOptions = {},
): Promise<string | null> => {
  const signal = AbortSignal.timeout(options.limitMs ?? 10_000)
  const port = options.port ?? 80
  const foreign = `Another server answers at ${name}: its address does not lead here.`
  const path = `/.well-known/acme-challenge/${proof.token}`
  let url = new URL(`http://${name}:${port}${path}`)
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      // The site's own address may be private; whatever else it sends us to must lie in the internet.
      const own = url.hostname === name && url.pathname === path
      if (!own) checkPublicHost(url.hostname)
      const lookup = options.lookup ?? (own ? undefined : publicLookup)
      const incoming = await ask(url, signal, lookup)
      const { location } = incoming.headers
      const status = incoming.statusCode ?? 0
      if (status < 300 || status > 399 || location === undefined) {
        const text = await readText(incoming)
        return status === 200 && text.trim() === proof.content ? null : foreign
      }
      incoming.destroy()
      if (!URL.canParse(location, url)) return foreign
      url = new URL(location, url)
      const usual = url.port === '' || url.port === String(port)
      if (!/^https?:$/.test(url.protocol) || !usual)
        return `${name} redirects to where no certificate authority follows.`
    }
    return `${name} redirects more than ${MAX_REDIRECTS} times.`
  } catch (error) {
    return reasonOf(name, error)
  }
}
