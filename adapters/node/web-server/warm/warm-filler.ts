import {
  type CacheEntry,
  neutralUserAgent,
  serializeEntry,
  type WarmDocument,
  type WarmOutcome,
  type WarmTarget,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { encodePath } from '#handlers/sites/paths/request-path.ts'
import type { SiteContext, SiteHandler } from '#handlers/sites/site-context.ts'
import type { WarmAnswer } from '../workers/messages.ts'

/** Of a sitemap or page in which further pages are named. */
const MAX_DOCUMENT_BYTES = 4 * 2 ** 20
/** Of a page that is compared with another. */
const MAX_SAMPLE_BYTES = 512 * 1024

/**
 * Who PHP thinks it is: an address for documentation (RFC 5737), for a script
 * that shows this machine more than others must not have that stored.
 */
const VISITOR = { clientAddress: '192.0.2.1', clientPort: 1024, serverAddress: '127.0.0.1' }

/** As browsers ask; without Accept-Language and cookies, so that the site's own default is stored. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** Fills pages inside a worker. */
export interface WarmFiller {
  /** Asks the site for the page and has it stored in place of an older one. Never rejects. */
  fill(target: WarmTarget): Promise<WarmAnswer>
  /** Reads a document, from the cache where it lies there. Null when it broke off. */
  read(target: WarmTarget): Promise<WarmDocument | null>
  /**
   * What the application answers a neutral request now, past the cache, its first 512
   * KiB; null where it is no HTML page. Never rejects.
   */
  neutralPage(target: WarmTarget): Promise<Uint8Array | null>
}

const portOf = (addresses: readonly string[], otherwise: number): number =>
  parseListenAddress(addresses[0] ?? '')?.port ?? otherwise

/** Why the page cache did not take a response, from Cache-Status. */
const detailOf = (response: Response): string | null =>
  /;\s*detail=([^;,]+)/.exec(response.headers.get('cache-status') ?? '')?.[1]?.trim() ?? null

const outcomeOf = (response: Response): WarmOutcome => {
  const { status } = response
  if (status >= 500 || status === 429) {
    return { kind: 'failed', reason: `answered ${status}`, retry: true }
  }
  if (status >= 400) return { kind: 'failed', reason: `answered ${status}`, retry: false }
  if (status >= 300) {
    return { kind: 'skipped', reason: `redirects (${status}), which is not followed` }
  }
  if (/^berth\s*;\s*hit\b/.test(response.headers.get('cache-status') ?? '')) {
    return { kind: 'stored' }
  }
  const detail = detailOf(response)
  if (detail !== null) return { kind: 'skipped', reason: `not cacheable: ${detail}` }
  return { kind: 'failed', reason: 'the page was not stored', retry: true }
}

/** At most `maxBytes` of a body; the rest is given up. */
const readBody = async (response: Response, maxBytes: number): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  let left = maxBytes
  const reader = response.body?.getReader()
  while (reader !== undefined && left > 0) {
    const part = await reader.read()
    if (part.done) return text + decoder.decode()
    text += decoder.decode(part.value.subarray(0, left), { stream: true })
    left -= part.value.byteLength
  }
  await reader?.cancel()
  return text
}

/** The first `maxBytes` of a body; the rest is given up. */
const readBytes = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(maxBytes)
  let length = 0
  const reader = response.body?.getReader()
  while (reader !== undefined && length < maxBytes) {
    const part = await reader.read()
    if (part.done) return bytes.slice(0, length)
    const some = part.value.subarray(0, maxBytes - length)
    bytes.set(some, length)
    length += some.byteLength
  }
  await reader?.cancel()
  return bytes.slice(0, length)
}

const drain = async (response: Response): Promise<void> => {
  const reader = response.body?.getReader()
  while (reader !== undefined && !(await reader.read()).done);
}

/**
 * Asks `site`, the handler of all requests, in this process: no connection is made.
 * `isPortShown`: whether visitors name a port that is not the usual one.
 */
export const createWarmFiller = (
  site: SiteHandler,
  config: ServerConfig,
  isPortShown: (secure: boolean) => boolean,
): WarmFiller => {
  const ports = {
    http: portOf(config.server.listen, 80),
    https: portOf(config.server.listen_ssl, 443),
  }
  const ask = (
    { host, path, secure, mobile }: WarmTarget,
    more: Pick<SiteContext, 'refresh' | 'sample'>,
  ): Promise<Response> => {
    const scheme = secure ? 'https' : 'http'
    const serverPort = ports[scheme]
    const usual = serverPort === (secure ? 443 : 80)
    const authority = usual || !isPortShown(secure) ? host : `${host}:${serverPort}`
    const rawTarget = encodePath(path)
    const userAgent = neutralUserAgent(mobile === true ? 'mobile' : 'desktop')
    const headers = { accept: ACCEPT, 'user-agent': userAgent, host: authority }
    return site(new Request(`${scheme}://${authority}${rawTarget}`, { headers }), {
      ...VISITOR,
      serverPort,
      secure,
      protocol: 'HTTP/1.1',
      rawTarget,
      ...more,
    })
  }
  return {
    async fill(target) {
      const stored: CacheEntry[] = []
      try {
        const response = await ask(target, {
          refresh: {
            onStored: (entry) => stored.push(entry),
          },
        })
        await drain(response)
        const entry = stored.at(-1)
        if (entry === undefined) return { outcome: outcomeOf(response), entry: null }
        return { outcome: { kind: 'stored' }, entry: serializeEntry(entry) }
      } catch {
        return {
          outcome: { kind: 'failed', reason: 'the page broke off', retry: true },
          entry: null,
        }
      }
    },
    async neutralPage(target) {
      try {
        const response = await ask(target, { sample: true })
        const { status, headers } = response
        const isPage =
          status === 200 &&
          !headers.has('content-encoding') &&
          /^\s*text\/html\b/i.test(headers.get('content-type') ?? '')
        if (isPage) return await readBytes(response, MAX_SAMPLE_BYTES)
        await response.body?.cancel()
        return null
      } catch {
        return null
      }
    },
    async read(target) {
      try {
        const response = await ask(target, {})
        const { status, headers } = response
        const contentType = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
        return {
          status,
          contentType: contentType.trim().toLowerCase(),
          location: headers.get('location'),
          text: await readBody(response, MAX_DOCUMENT_BYTES),
        }
      } catch {
        return null
      }
    },
  }
}
