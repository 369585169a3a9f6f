import {
  type CacheEntry,
  neutralUserAgent,
  type PageRefresh,
  type WarmDocument,
  type WarmOutcome,
  type WarmTarget,
} from '#edge-cache/index.ts'
import { encodePath } from '#handlers/sites/paths/request-path.ts'

/** Answers a request at a site of this Worker, in this isolate. */
export type AskSite = (request: Request, refresh?: PageRefresh) => Promise<Response>

/** Of a document in which pages are named. */
const MAX_DOCUMENT_BYTES = 2 ** 21
/** As browsers ask; without cookies, so that the site's own default is stored. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const requestFor = ({ host, path, secure, mobile }: WarmTarget): Request =>
  new Request(`${secure ? 'https' : 'http'}://${host}${encodePath(path)}`, {
    headers: {
      accept: ACCEPT,
      'user-agent': neutralUserAgent(mobile === true ? 'mobile' : 'desktop'),
    },
  })

const textOf = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ''
  let left = MAX_DOCUMENT_BYTES
  while (reader !== undefined && left > 0) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.byteLength
  }
  await reader?.cancel()
  return text
}

const outcomeOf = ({ status, headers }: Response): WarmOutcome => {
  if (status >= 500 || status === 429)
    return { kind: 'failed', reason: `answered ${status}`, retry: true }
  if (status >= 400) return { kind: 'failed', reason: `answered ${status}`, retry: false }
  if (status >= 300)
    return { kind: 'skipped', reason: `redirects (${status}), which is not followed` }
  const detail = /;\s*detail=([^;,]+)/.exec(headers.get('cache-status') ?? '')?.[1]?.trim()
  if (detail !== undefined) return { kind: 'skipped', reason: `not cacheable: ${detail}` }
  return { kind: 'failed', reason: 'the page was not stored', retry: true }
}

/** Fills a page anew, in the place of the one that is stored. Rejects where the answer breaks off. */
export const fillPage = async (ask: AskSite, target: WarmTarget): Promise<WarmOutcome> => {
  const stored: CacheEntry[] = []
  const response = await ask(requestFor(target), { onStored: (entry) => stored.push(entry) })
  const reader = response.body?.getReader()
  while (reader !== undefined && !(await reader.read()).done);
  return stored.length > 0 ? { kind: 'stored' } : outcomeOf(response)
}

/** Reads a document; null when it broke off. */
export const readDocument = async (
  ask: AskSite,
  target: WarmTarget,
): Promise<WarmDocument | null> => {
  try {
    const response = await ask(requestFor(target))
    const { status, headers } = response
    const contentType = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
    return {
      status,
      contentType: contentType.trim().toLowerCase(),
      location: headers.get('location'),
      text: await textOf(response),
    }
  } catch {
    return null
  }
}
