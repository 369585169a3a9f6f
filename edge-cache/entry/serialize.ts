import type { ScriptVersion } from '../fields/script-header.ts'
import type { CacheEntry, CacheKey, EncodedBody, HttpFields, StaleLimits } from '../types.ts'

/** Everything of an entry but the bodies, as JSON; the shape is versioned by who stores it. */
interface HeadJson {
  host: string
  path: string
  id: string
  status: number
  headers: (readonly [string, string])[]
  tags: string[]
  storedAtMs: number
  expiresAtMs: number
  stale?: StaleLimits
  sequence: number
  etag: string | null
  lastModified: string | null
  revalidateSecs: number | null
  coding: string | null
  /** Codings with the sizes of the bodies in them, which follow the entry's own. */
  encodings: (readonly [EncodedBody['coding'], number])[] | null
  http?: HttpFields
  script?: ScriptVersion
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Everything but the bodies, as one line of JSON; see `deserializeHead`. */
export const serializeHead = (entry: CacheEntry): string =>
  JSON.stringify({
    ...entry.key,
    status: entry.status,
    headers: [...entry.headers],
    tags: [...entry.tags],
    storedAtMs: entry.storedAtMs,
    expiresAtMs: entry.expiresAtMs,
    ...(entry.stale ? { stale: entry.stale } : {}),
    sequence: entry.sequence,
    etag: entry.etag,
    lastModified: entry.lastModified,
    revalidateSecs: entry.revalidateSecs,
    coding: entry.coding,
    encodings:
      entry.encodings?.map(({ coding, body }) => [coding, body.byteLength] as const) ?? null,
    ...(entry.http ? { http: entry.http } : {}),
    ...(entry.script ? { script: entry.script } : {}),
  } satisfies HeadJson)

/** The body and those in other codings behind it, as `deserializeHead` takes them. */
export const serializeBodies = (entry: CacheEntry): Uint8Array<ArrayBuffer> => {
  const { body, encodings } = entry
  if (!encodings || encodings.length === 0) return body
  const parts = [body, ...encodings.map((encoded) => encoded.body)]
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.byteLength
  }
  return all
}

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
const isOptionalString = (value: unknown): boolean => value === null || typeof value === 'string'

const isEncoding = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 2 &&
  (value[0] === 'gzip' || value[0] === 'br') &&
  Number.isSafeInteger(value[1]) &&
  value[1] > 0

const isStale = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const limits = value as Record<keyof StaleLimits, unknown>
  return [limits.refreshUntilMs, limits.errorUntilMs].every(Number.isFinite)
}

const isHttp = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const http = value as Record<keyof HttpFields, unknown>
  return (
    Number.isFinite(http.freshUntilMs) &&
    isStrings(http.vary) &&
    (http.selected === null || isStrings(http.selected))
  )
}

const isScript = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const script = value as Record<keyof ScriptVersion, unknown>
  return isStrings([script.file, script.version])
}

const isHead = (value: unknown): value is HeadJson => {
  if (typeof value !== 'object' || value === null) return false
  const head = value as Record<keyof HeadJson, unknown>
  return (
    isStrings([head.host, head.path, head.id]) &&
    Number.isSafeInteger(head.status) &&
    Array.isArray(head.headers) &&
    head.headers.every((pair) => isStrings(pair) && pair.length === 2) &&
    isStrings(head.tags) &&
    [head.storedAtMs, head.expiresAtMs, head.sequence].every(Number.isFinite) &&
    isOptionalString(head.etag) &&
    isOptionalString(head.lastModified) &&
    (head.revalidateSecs === null || Number.isFinite(head.revalidateSecs)) &&
    isOptionalString(head.coding) &&
    (head.encodings === null ||
      (Array.isArray(head.encodings) && head.encodings.every(isEncoding))) &&
    (head.stale === undefined || isStale(head.stale)) &&
    (head.http === undefined || isHttp(head.http)) &&
    (head.script === undefined || isScript(head.script))
  )
}

/**
 * The bodies of `bytes`; null when the sizes are not theirs. Each is a copy of
 * its own where there are several, so that one may go without the others.
 */
const splitBodies = (
  bytes: Uint8Array<ArrayBuffer>,
  sizes: HeadJson['encodings'],
): Pick<CacheEntry, 'body' | 'encodings'> | null => {
  if (!sizes || sizes.length === 0) return { body: bytes, encodings: sizes && [] }
  let offset = bytes.byteLength - sizes.reduce((sum, [, size]) => sum + size, 0)
  if (offset < 0) return null
  const body = bytes.slice(0, offset)
  const encodings = sizes.map(([coding, size]) => {
    offset += size
    return { coding, body: bytes.slice(offset - size, offset) }
  })
  return { body, encodings }
}

/** The entry of a stored head and its bodies; null when the head is not one of ours. */
export const deserializeHead = (
  json: string,
  bytes: Uint8Array<ArrayBuffer>,
): CacheEntry | null => {
  let head: unknown
  try {
    head = JSON.parse(json)
  } catch {
    return null
  }
  if (!isHead(head)) return null
  const bodies = splitBodies(bytes, head.encodings)
  if (!bodies) return null
  const { host, path, id, stale, http, script } = head
  const key: CacheKey = { host, path, id }
  // Field by field, like those of a fill: objects of many shapes are slow to look at.
  return {
    key,
    status: head.status,
    headers: head.headers,
    body: bodies.body,
    tags: head.tags,
    storedAtMs: head.storedAtMs,
    expiresAtMs: head.expiresAtMs,
    ...(stale && { stale }),
    sequence: head.sequence,
    etag: head.etag,
    lastModified: head.lastModified,
    revalidateSecs: head.revalidateSecs,
    ...(script && { script }),
    coding: head.coding,
    encodings: bodies.encodings,
    ...(http && { http }),
  }
}

/**
 * An entry as one piece of bytes: length of the head (32 bits, big-endian), head
 * as JSON in UTF-8, bodies as they are. It passes any channel that keeps bytes.
 */
export const serializeEntry = (entry: CacheEntry): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(serializeHead(entry))
  const bodies = serializeBodies(entry)
  const bytes = new Uint8Array(4 + head.byteLength + bodies.byteLength)
  new DataView(bytes.buffer).setUint32(0, head.byteLength)
  bytes.set(head, 4)
  bytes.set(bodies, 4 + head.byteLength)
  return bytes
}

/** Reads `serializeEntry`; null when the bytes are not such an entry. The body is a copy. */
export const deserializeEntry = (bytes: Uint8Array): CacheEntry | null => {
  if (bytes.byteLength < 4) return null
  const headLength = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0)
  if (4 + headLength > bytes.byteLength) return null
  try {
    const head = decoder.decode(bytes.subarray(4, 4 + headLength))
    return deserializeHead(head, new Uint8Array(bytes.subarray(4 + headLength)))
  } catch {
    return null
  }
}
