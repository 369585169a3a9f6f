import { boundedMemo } from '../fields/bounded-memo.ts'
import { ownTag } from './content-tag.ts'
import { CONTENT_CODINGS, parseAcceptEncoding, type AcceptedCodings } from './encoding.ts'
import type { CacheEntry, ContentCoding, EncodedBody, HttpFields, StaleLimits } from '../types.ts'

/** Browsers send a handful of different fields. */
const parsed = boundedMemo(parseAcceptEncoding, { maxTexts: 500, maxLength: 200 })

const acceptedBy = (field: string | null): AcceptedCodings => parsed(field ?? '')

/** Whether a client that sent this Accept-Encoding field takes the coding. */
export const acceptsCoding = (field: string | null, coding: ContentCoding): boolean =>
  acceptedBy(field).weight(coding) > 0

/**
 * The coding to make for a client that sent this Accept-Encoding field: the one it
 * prefers, of equals the one that usually makes less; null: the body as it is.
 */
export const preferredCoding = (field: string | null): ContentCoding | null => {
  if (field === null) return null
  const accepted = acceptedBy(field)
  let preferred: ContentCoding | null = null
  let weight = accepted.identity ?? 0
  for (const coding of CONTENT_CODINGS) {
    const own = accepted.weight(coding)
    if (own === 0 || own < weight) continue
    preferred = coding
    weight = own
  }
  return preferred
}

/** The best acceptable coding; null when the body as it is is to be preferred or nothing else is accepted. */
const bestEncoding = (
  encodings: readonly EncodedBody[],
  accepted: AcceptedCodings,
): EncodedBody | null => {
  let best: EncodedBody | null = null
  // What is not mentioned is taken after everything that is (RFC 9110, 12.5.3).
  let bestWeight = accepted.identity ?? 0
  for (const encoded of encodings) {
    const weight = accepted.weight(encoded.coding)
    if (weight === 0 || weight < bestWeight) continue
    const smaller = best === null || encoded.body.byteLength < best.body.byteLength
    if (weight > bestWeight || smaller) best = encoded
    bestWeight = weight
  }
  return best
}

/** A `Vary` field that names Accept-Encoding as well. */
export const withAcceptEncoding = (vary: string): string =>
  /(?:^|,)\s*(?:\*|accept-encoding)\s*(?:,|$)/i.test(vary) ? vary : `${vary}, Accept-Encoding`

/** Headers of a response in a coding we made, or, with `null`, as the origin coded it. */
const representationHeaders = (
  entry: CacheEntry,
  coding: ContentCoding | null,
): CacheEntry['headers'] => {
  const headers: (readonly [string, string])[] = []
  let varies = false
  for (const [name, value] of entry.headers) {
    if (name === 'vary') {
      varies = true
      headers.push([name, withAcceptEncoding(value)])
    } else if (coding === null) headers.push([name, value])
    else if (name === 'etag') headers.push([name, weak(value)])
    // Parts are made of the body as it is only.
    else if (name !== 'accept-ranges') headers.push([name, value])
  }
  if (coding !== null) headers.push(['content-encoding', coding])
  if (!varies) headers.push(['vary', 'Accept-Encoding'])
  return headers
}

/**
 * Bodies in several codings are not the same bytes, so that one strong tag must
 * not name them all (RFC 9110, 8.8.3.3). A weak one still finds its page at the
 * origin after the entry is gone; a suffix would not.
 */
export const weak = (etag: string): string => (etag.startsWith('W/') ? etag : `W/${etag}`)

/** The tag of an entry in a coding: of our own each coding has one, since its bytes are always the same. */
const tagIn = (entry: CacheEntry, encoded: EncodedBody | null): string | null => {
  const { etag } = entry
  if (encoded === null || etag === null) return etag
  return ownTag(entry) === null ? weak(etag) : `${etag.slice(0, -1)}-${encoded.coding}"`
}

/**
 * An entry as clients of one coding see it. Where bytes lie may change while the
 * entry lives, so the body is asked for each time instead of being kept.
 *
 * A class, since a literal with a getter gets a shape of its own each time, in the
 * old generation, which holds what the getter sees until a full collection.
 */
class ShownEntry implements CacheEntry {
  readonly key: CacheEntry['key']
  readonly status: CacheEntry['status']
  readonly headers: CacheEntry['headers']
  readonly tags: CacheEntry['tags']
  readonly storedAtMs: CacheEntry['storedAtMs']
  readonly expiresAtMs: CacheEntry['expiresAtMs']
  readonly stale?: StaleLimits
  readonly sequence: CacheEntry['sequence']
  readonly etag: CacheEntry['etag']
  readonly lastModified: CacheEntry['lastModified']
  readonly revalidateSecs: CacheEntry['revalidateSecs']
  readonly coding: CacheEntry['coding']
  readonly encodings: CacheEntry['encodings']
  readonly http?: HttpFields
  readonly #bytes: Pick<EncodedBody, 'body'>

  constructor(entry: CacheEntry, encoded: EncodedBody | null) {
    this.key = entry.key
    this.status = entry.status
    this.headers = representationHeaders(entry, encoded?.coding ?? null)
    this.tags = entry.tags
    this.storedAtMs = entry.storedAtMs
    this.expiresAtMs = entry.expiresAtMs
    if (entry.stale !== undefined) this.stale = entry.stale
    this.sequence = entry.sequence
    this.etag = tagIn(entry, encoded)
    this.lastModified = entry.lastModified
    this.revalidateSecs = entry.revalidateSecs
    this.coding = entry.coding
    this.encodings = entry.encodings
    if (entry.http !== undefined) this.http = entry.http
    this.#bytes = encoded ?? entry
  }

  get body(): Uint8Array<ArrayBuffer> {
    return this.#bytes.body
  }
}

interface Views {
  byCoding: Partial<Record<ContentCoding | 'own', CacheEntry>>
  /** Which is shown to the clients that were answered last. */
  accepted: AcceptedCodings | null
  shown: CacheEntry | null
}
const allViews = new WeakMap<CacheEntry, Views>()

const viewsOf = (entry: CacheEntry): Views => {
  let views = allViews.get(entry)
  if (!views) allViews.set(entry, (views = { byCoding: {}, accepted: null, shown: null }))
  return views
}

const view = (entry: CacheEntry, encoded: EncodedBody | null): CacheEntry => {
  const { byCoding: views } = viewsOf(entry)
  const name = encoded?.coding ?? 'own'
  const known = views[name]
  if (known) return known
  const made = new ShownEntry(entry, encoded)
  views[name] = made
  return made
}

/**
 * The entry as it is answered to a client with this Accept-Encoding field: an
 * entry of the same page whose body and headers (`Content-Encoding`, `Vary`, a
 * weak `ETag`) are those of the chosen coding. The same object as long as the
 * entry lives. Null when the page is stored in a coding only that the client
 * does not accept. `plain` asks for the body that ranges are made of.
 *
 * A client that refuses everything there is gets the body as it is, as servers
 * do (RFC 9110, 12.5.3 allows it; a 406 would help nobody).
 */
export const representation = (
  entry: CacheEntry,
  acceptEncoding: string | null,
  plain = false,
): CacheEntry | null => {
  const { coding, encodings } = entry
  if (coding !== null) {
    return acceptedBy(acceptEncoding).weight(coding) > 0 ? view(entry, null) : null
  }
  if (encodings === null || encodings.length === 0) return entry
  if (plain) return view(entry, null)
  const accepted = acceptedBy(acceptEncoding)
  const views = viewsOf(entry)
  if (views.shown === null || views.accepted !== accepted) {
    views.shown = view(entry, bestEncoding(encodings, accepted))
    views.accepted = accepted
  }
  return views.shown
}

/** `representation` for a request: one for a part gets it of the plain body. */
export const representationFor = (entry: CacheEntry, request: Request): CacheEntry | null => {
  const { headers, method } = request
  const plain = method === 'GET' && headers.has('range')
  return representation(entry, headers.get('accept-encoding'), plain)
}
