import { deviceClass, hasBypassCookie, NEGOTIATION_HEADERS } from '#edge-cache/index.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import type { NodeReader, ReadRequest } from './node-reader.ts'
import { readAsEngine, type AcceptedHead, type EngineReading } from './read-as-engine.ts'

/** Fields of which none may stand in a head that the strict parser accepts. */
const FOREIGN = ['content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer']
/** Fields that answers from the cache's first layer know nothing of. */
const SPECIAL = [
  ...['authorization', 'range', 'if-range', 'if-match', 'if-modified-since', 'if-unmodified-since'],
  ...NEGOTIATION_HEADERS,
]
/** Fields whose one value decides what is answered from there. */
const DECIDING = ['cookie', 'accept', 'accept-encoding', 'if-none-match', 'user-agent']

const valuesOf = ({ rawHeaders }: ReadRequest, name: string): string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)

const headersOf = ({ rawHeaders }: ReadRequest): [string, string][] => {
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  return [...headers]
}

const differs = (what: string, ours: unknown, theirs: unknown): string | null =>
  JSON.stringify(ours) === JSON.stringify(theirs)
    ? null
    : `${what}: ${JSON.stringify(ours)}, node:http ${JSON.stringify(theirs)}`

/** A virtual host that says nothing of cookies. */
const HOST = {
  domain: 'a.test',
  cache: { bypass_cookies: null, harmless_cookies: [], session_cookies: [] },
}

/** What the strict parser understood otherwise than node:http did, in a head that both took. */
const judgeHead = (ours: AcceptedHead, theirs: ReadRequest): string | null => {
  const one = (name: string): string | null => valuesOf(theirs, name)[0] ?? null
  const { facts } = ours
  const hosts = valuesOf(theirs, 'host')
  const foreign = FOREIGN.filter((name) => valuesOf(theirs, name).length > 0)
  const plain =
    differs('method', ours.method, theirs.method) ??
    differs('target', ours.target, theirs.target) ??
    differs('known target', ours.knownTarget ?? theirs.target, theirs.target) ??
    differs('body', '', theirs.body) ??
    differs('fields', ours.headers, headersOf(theirs)) ??
    differs('Host', [ours.hostField], hosts) ??
    differs('host', facts.host, parseHost(hosts[0] ?? '')?.name ?? '') ??
    differs('fields of another way', [], foreign) ??
    differs('close', facts.close, /\bclose\b/i.test(valuesOf(theirs, 'connection').join()))
  if (plain !== null || facts.special) return plain
  const special =
    SPECIAL.some((name) => valuesOf(theirs, name).length > 0) ||
    DECIDING.some((name) => valuesOf(theirs, name).length > 1)
  return (
    differs('special', false, special) ??
    differs('codings', facts.acceptEncoding, one('accept-encoding')) ??
    differs('tag', facts.etag, one('if-none-match')) ??
    differs('device', facts.device(), deviceClass(one('user-agent'))) ??
    differs('cookies', facts.hasBypassCookie(HOST), hasBypassCookie(one('cookie') ?? '', null))
  )
}

/** Bytes as a string literal. */
export const escaped = (text: string): string =>
  JSON.stringify(text).replace(
    /[\x7f-\xff]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

/** A connection whose bytes the two understood differently. */
export interface Difference {
  text: string
  why: string
}

/** What came of many connections, so that a test can tell whether it tried anything. */
export interface Tally {
  differences: Difference[]
  accepted: number
  /** Of those, how many had a target that was remembered. */
  known: number
  handedOver: number
  /** Connections that node:http refused somewhere. */
  refused: number
}

/**
 * Reads each connection (latin1) twice: by node:http alone, and as our engine
 * does, with the strict parser first and node:http from where that one gave up.
 * Both must find the same requests, so neither verdict nor boundary nor value
 * can differ.
 */
export const compareReadings = async (
  connections: readonly string[],
  reader: NodeReader,
  maxHeadBytes: number,
): Promise<Tally> => {
  const tally: Tally = { differences: [], accepted: 0, known: 0, handedOver: 0, refused: 0 }
  const bytes = connections.map((text) => Buffer.from(text, 'latin1'))
  const ours: EngineReading[] = bytes.map((one) => readAsEngine(one, maxHeadBytes))
  const theirs = await reader.read(bytes)
  const rests = await reader.read(
    ours.map(({ handedOverAt }, at) => (bytes[at] as Buffer).subarray(handedOverAt ?? Infinity)),
  )
  for (const [at, text] of connections.entries()) {
    const { accepted, handedOverAt } = ours[at] as EngineReading
    const whole = theirs[at] ?? { requests: [], error: null }
    const rest = rests[at] ?? { requests: [], error: null }
    tally.accepted += accepted.length
    tally.known += accepted.filter(({ knownTarget }) => knownTarget !== null).length
    if (handedOverAt !== null && handedOverAt < text.length) tally.handedOver++
    if (whole.error !== null) tally.refused++
    const judge = (): string | null => {
      for (const [number, head] of accepted.entries()) {
        const request = whole.requests[number]
        if (request === undefined) return `request ${number} was accepted, node:http has none`
        const why = judgeHead(head, request)
        if (why !== null) return `request ${number}: ${why}`
      }
      const left = whole.requests.slice(accepted.length)
      if (handedOverAt === null) return differs('requests after the last one', [], left)
      return (
        differs('requests after the hand-over', rest.requests, left) ??
        differs('end', rest.error !== null, whole.error !== null)
      )
    }
    const why = judge()
    if (why !== null) tally.differences.push({ text, why })
  }
  return tally
}
