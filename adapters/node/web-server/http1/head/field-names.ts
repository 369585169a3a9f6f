import { NEGOTIATION_HEADERS, NEGOTIATION_PREFIXES } from '#edge-cache/index.ts'

/** What a request field means to the fast parser. */
export type FieldKind =
  | 'other'
  | 'refused'
  | 'special'
  | 'host'
  | 'connection'
  | 'referer'
  | 'user-agent'
  | 'if-none-match'
  | 'cookie'
  | 'accept'
  | 'accept-encoding'

interface KnownField {
  name: Uint8Array
  kind: FieldKind
}

const FIELDS: Record<string, FieldKind> = {
  host: 'host',
  connection: 'connection',
  referer: 'referer',
  'user-agent': 'user-agent',
  'if-none-match': 'if-none-match',
  cookie: 'cookie',
  accept: 'accept',
  'accept-encoding': 'accept-encoding',
  // A body, another protocol or an interim response: never the fast parser's.
  'content-length': 'refused',
  'transfer-encoding': 'refused',
  upgrade: 'refused',
  expect: 'refused',
  te: 'refused',
  trailer: 'refused',
  'http2-settings': 'refused',
  'proxy-connection': 'refused',
  'keep-alive': 'refused',
  // The response depends on more than host and path.
  authorization: 'special',
  range: 'special',
  'if-range': 'special',
  'if-match': 'special',
  'if-modified-since': 'special',
  'if-unmodified-since': 'special',
  // A trusted proxy's word on the scheme is part of the page's address.
  'x-forwarded-proto': 'special',
}

// A fragment or data at the page's own address.
for (const name of NEGOTIATION_HEADERS) FIELDS[name] = 'special'

const byName: ReadonlyMap<string, FieldKind> = new Map(Object.entries(FIELDS))

/** Kind of a field by its name in lower case. */
export const kindOfField = (name: string): FieldKind =>
  byName.get(name) ??
  (NEGOTIATION_PREFIXES.some((prefix) => name.startsWith(prefix)) ? 'special' : 'other')

const byLength: KnownField[][] = []
for (const [name, kind] of Object.entries(FIELDS)) {
  ;(byLength[name.length] ??= []).push({ name: new TextEncoder().encode(name), kind })
}

const prefixes = NEGOTIATION_PREFIXES.map((prefix) => new TextEncoder().encode(prefix))

/** Compares without regard to case; `word` is lower case and made of letters, digits and `-`. */
const sameWord = (bytes: Uint8Array, start: number, word: Uint8Array): boolean => {
  for (let i = 0; i < word.length; i++) {
    // Setting bit 0x20 maps letters to lower case; among token characters only
    // 0x0D/0x2D style pairs could collide with `-`, and controls are no tokens.
    if (((bytes[start + i] as number) | 0x20) !== word[i]) return false
  }
  return true
}

/** Kind of the field whose name (already judged a token) stands at `start`. */
export const fieldKind = (bytes: Uint8Array, start: number, end: number): FieldKind => {
  for (const candidate of byLength[end - start] ?? []) {
    if (sameWord(bytes, start, candidate.name)) return candidate.kind
  }
  for (const prefix of prefixes) {
    if (end - start > prefix.length && sameWord(bytes, start, prefix)) return 'special'
  }
  return 'other'
}

const encoded = new Map<string, Uint8Array>()
for (const word of ['close', 'keep-alive']) encoded.set(word, new TextEncoder().encode(word))

/** Whether the value is exactly the one word, in any case. */
export const isToken = (
  bytes: Uint8Array,
  start: number,
  end: number,
  word: 'close' | 'keep-alive',
): boolean => {
  const expected = encoded.get(word)
  return (
    expected !== undefined && end - start === expected.length && sameWord(bytes, start, expected)
  )
}
