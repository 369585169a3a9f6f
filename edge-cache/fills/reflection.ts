import { chosenValues, type ChosenValue } from './chosen-values.ts'
import { inSlices, type Pause, type SlicedWork } from './in-slices.ts'

/** Shorter texts are found on any page: nobody can tell whether they are shown or just there. */
const MIN_LENGTH = 4
/** A run of digits of fewer places is a year, a version or a price on most pages. */
const MIN_DIGITS = 6
/** More would cost more than the page is worth. */
const MAX_TEXTS = 200
/**
 * Of a text no more is looked for than its beginning: what shows the whole shows that
 * as well. The search for a longer one can take its length for each byte of a page,
 * if visitor and page are made for one another.
 */
const MAX_LENGTH = 64
/** Texts times bytes; beyond, a response counts as one that shows something. */
const MAX_SEARCHED = 8 * 2 ** 20

/**
 * Words of which the usual values of `Accept`, `User-Agent`, `Referer` and client
 * hints are made. That a page has one of them says nothing of who asked for it.
 */
const VOCABULARY = new Set(
  (
    'mozilla applewebkit khtml like gecko chrome chromium safari firefox mobile version windows ' +
    'linux android iphone ipad macintosh intel ubuntu fedora debian cros wow64 win64 x86_64 ' +
    'trident edge edga edgios opera opr vivaldi brave samsungbrowser samsung internet crios fxios ' +
    'google googlebot bing bingbot bingpreview duckduckgo duckduckbot yandex yandexbot baiduspider ' +
    'applebot slurp compatible robot bots html xhtml text application xml image avif webp apng ' +
    'signed exchange json plain atom http https www brand not_a brand microsoft webview ' +
    'webview2 headlesschrome curl wget build phone tablet desktop a_brand hans hant latn pixel ' +
    'galaxy redmi xiaomi huawei scheme proto cloudflare fastly akamai'
  ).split(' '),
)

/** Letters, digits and everything that is not ASCII; one character per byte. */
const isWordCode = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x5f ||
  code >= 0x80

/** Gives every byte a character of its own. */
const singleBytes = new TextDecoder('latin1')

/** A field's value (a character per byte) as the same bytes read in a body. */
const asRead = (value: string): string =>
  singleBytes.decode(Uint8Array.from(value, (character) => character.charCodeAt(0)))

const wordsOf = (value: string): string[] => {
  const words: string[] = []
  let start = -1
  for (let i = 0; i <= value.length; i++) {
    const inside = i < value.length && isWordCode(value.charCodeAt(i))
    if (inside && start === -1) start = i
    else if (!inside && start !== -1) {
      words.push(value.slice(start, i))
      start = -1
    }
  }
  return words
}

const isDistinctive = (word: string): boolean => {
  if (word.length < MIN_LENGTH || VOCABULARY.has(word)) return false
  return word.length >= MIN_DIGITS || !/^[\d_]+$/.test(word)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** A text as it is, and as programs write it into HTML, addresses and scripts. */
const spellings = (value: string): string[] => [
  value,
  value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character),
  value.replace(/[^A-Za-z0-9\-._~]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`),
  value.replaceAll('/', String.raw`\/`),
]

/** Of a value in Base64 what does not depend on what stands behind it; too little is found anywhere. */
const base64 = (value: string): string[] => {
  const text = btoa(value).slice(0, Math.floor(value.length / 3) * 4)
  return text.length < 2 * MIN_LENGTH ? [] : [text]
}

/** What a response must not show if everybody may get it. */
export interface ChosenTexts {
  /** Whether a value is too short, or there are too many, to be looked for: the response proves nothing. */
  isUndecidable: boolean
  /** Lower case, to be looked for without regard to case; 64 characters at most, as `exact`. */
  texts: readonly string[]
  /** To be looked for as they are. */
  exact: readonly string[]
}

/** What programs strip or escape in ways of their own; no browser sends it. */
const MARKUP = /[<>'`\\]/
const ESCAPE = /%[0-9a-f]{2}/

/** Escapes leave words as they are, so they are looked for in one spelling. */
const wordsIn = (kind: ChosenValue['kind'], lower: string): string[] => {
  if (kind === 'whole') return []
  const words = wordsOf(lower).filter(isDistinctive)
  if (kind === 'value') return words
  const pieces = lower.split(/[/?#&=]/)
  return [...words, ...pieces.filter((piece) => !piece.endsWith(':') && isDistinctive(piece))]
}

/**
 * Everything that a visitor chose and the application sees of an ordinary request:
 * values of fields and cookies, and the client's address, as bodies are read here
 * (one character per byte).
 */
export const chosenTexts = (
  headers: Headers,
  site: { host: string; clientAddress?: string },
): ChosenTexts => {
  const texts = new Set<string>()
  const exact = new Set<string>()
  const want = (wanted: Set<string>, all: readonly string[]): void => {
    for (const text of all) wanted.add(text.slice(0, MAX_LENGTH))
  }
  const own = new Set([...wordsOf(site.host), site.host])
  let isUndecidable = false
  for (const value of chosenValues(headers, site.host)) {
    if (value.text.length < MIN_LENGTH) {
      isUndecidable = true
      continue
    }
    want(exact, base64(value.text))
    const lower = asRead(value.text).toLowerCase()
    const words = wordsIn(value.kind, lower).filter((word) => !own.has(word))
    want(texts, words.length > 0 ? words : spellings(lower))
    // What is left when a program has cleaned or decoded it cannot be told.
    const isUntold = MARKUP.test(lower) || (words.length === 0 && ESCAPE.test(lower))
    isUndecidable ||= value.kind !== 'whole' && isUntold
  }
  const { clientAddress = '' } = site
  if (clientAddress.length >= MIN_LENGTH) {
    want(texts, spellings(clientAddress.toLowerCase()))
    want(exact, base64(clientAddress))
  }
  isUndecidable ||= texts.size + exact.size > MAX_TEXTS
  return { isUndecidable, texts: [...texts], exact: [...exact] }
}

/** Bytes of a body that are looked at together. */
const PIECE = 64 * 1024

/** What `piece` shows of the texts; stands still behind each of them. */
function* searched(piece: string, { texts, exact }: ChosenTexts): SlicedWork<boolean> {
  const lower = piece.toLowerCase()
  for (const wanted of texts) {
    if (lower.includes(wanted)) return true
    yield piece.length
  }
  for (const wanted of exact) {
    if (piece.includes(wanted)) return true
    yield piece.length
  }
  return false
}

/** Whether it shows one of the texts, or would take too long to search. */
function* search(bytes: Uint8Array, chosen: ChosenTexts): SlicedWork<boolean> {
  const count = chosen.texts.length + chosen.exact.length
  if (count * bytes.length > MAX_SEARCHED) return true
  if (count === 0) return false
  for (let at = 0; at < bytes.length; at += PIECE) {
    // A text that begins in one piece may end in the next.
    const piece = bytes.subarray(at, at + PIECE + MAX_LENGTH - 1)
    if (yield* searched(singleBytes.decode(piece), chosen)) return true
  }
  return false
}

/** Bytes of texts times pieces searched before others have their turn: 15 ms at the worst. */
const SEARCHED_AT_ONCE = 2 ** 20

const bytesOf = (values: readonly string[]): Uint8Array =>
  Uint8Array.from(values.join('\n'), (character) => character.charCodeAt(0))

/** Whether the fields of a response show what the visitor chose, or may: 8 MiB of searching is the most. */
export const fieldsShow = (
  fields: readonly (readonly [string, string])[],
  chosen: ChosenTexts,
  pause?: Pause,
): Promise<boolean> => bodyShows(bytesOf(fields.map(([, value]) => value)), chosen, pause)

/**
 * The same of a body without content coding. Goes on in slices of 1 MiB of searching: the
 * event loop goes round between them (`pause`). `body` may not change meanwhile.
 */
export const bodyShows = (body: Uint8Array, chosen: ChosenTexts, pause?: Pause): Promise<boolean> =>
  inSlices(search(body, chosen), SEARCHED_AT_ONCE, pause)
