import type { CacheEntry, CacheKey } from './types.ts'

/** Everything of an entry but the body, as JSON; the shape is versioned by who stores it. */
interface HeadJson {
  host: string
  path: string
  id: string
  headers: (readonly [string, string])[]
  tags: string[]
  storedAtMs: number
  expiresAtMs: number
  sequence: number
  etag: string | null
  lastModified: string | null
  revalidateSecs: number | null
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export const serializeHead = (entry: CacheEntry): string =>
  JSON.stringify({
    ...entry.key,
    headers: [...entry.headers],
    tags: [...entry.tags],
    storedAtMs: entry.storedAtMs,
    expiresAtMs: entry.expiresAtMs,
    sequence: entry.sequence,
    etag: entry.etag,
    lastModified: entry.lastModified,
    revalidateSecs: entry.revalidateSecs,
  } satisfies HeadJson)

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
const isOptionalString = (value: unknown): boolean => value === null || typeof value === 'string'

const isHead = (value: unknown): value is HeadJson => {
  if (typeof value !== 'object' || value === null) return false
  const head = value as Record<keyof HeadJson, unknown>
  return (
    isStrings([head.host, head.path, head.id]) &&
    Array.isArray(head.headers) &&
    head.headers.every((pair) => isStrings(pair) && pair.length === 2) &&
    isStrings(head.tags) &&
    [head.storedAtMs, head.expiresAtMs, head.sequence].every(Number.isFinite) &&
    isOptionalString(head.etag) &&
    isOptionalString(head.lastModified) &&
    (head.revalidateSecs === null || Number.isFinite(head.revalidateSecs))
  )
}

/** The entry of a stored head and body; null when the head is not one of ours. */
export const deserializeHead = (json: string, body: Uint8Array<ArrayBuffer>): CacheEntry | null => {
  let head: unknown
  try {
    head = JSON.parse(json)
  } catch {
    return null
  }
  if (!isHead(head)) return null
  const { host, path, id, headers, tags, ...rest } = head
  const key: CacheKey = { host, path, id }
  return { ...rest, key, status: 200, headers, tags, body }
}

/**
 * An entry as one piece of bytes: length of the head (32 bits, big-endian), head
 * as JSON in UTF-8, body as it is. It passes any channel that keeps bytes.
 */
export const serializeEntry = (entry: CacheEntry): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(serializeHead(entry))
  const bytes = new Uint8Array(4 + head.byteLength + entry.body.byteLength)
  new DataView(bytes.buffer).setUint32(0, head.byteLength)
  bytes.set(head, 4)
  bytes.set(entry.body, 4 + head.byteLength)
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
