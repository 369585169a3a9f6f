import { inSlices, type Pause, type SlicedWork } from '../fills/in-slices.ts'

/** In what a visitor's page is another one than those that nobody shaped. */
export type PageDifference = 'language' | 'title' | 'text'

/** Beyond this a page is not looked at. */
const MAX_BYTES = 512 * 1024
/** Nor beyond this much text, in characters, without what scripts and styles hold. */
const MAX_TEXT = 64 * 1024
/** Nor beyond so many tags. */
const MAX_TAGS = 10_000
/** Tags and characters of text read before others have their turn: some 10 ms at the worst. */
const READ_AT_ONCE = 8192
/** What a tag costs, in characters. */
const TAG = 8
/** Of a tag, where `lang` is looked for. */
const MAX_TAG = 2048
/** How much further from the neutral pages than these from each other: as a share of all words, and times. */
const MORE = 0.15
const TIMES = 2

interface PageFacts {
  lang: string
  title: string
  words: ReadonlyMap<string, number>
}

/** Whose content nobody reads. */
const UNSEEN = new Set(['script', 'style', 'template', 'svg'])
const LANG = /\slang\s{0,9}=\s{0,9}["']?([A-Za-z0-9-]{1,35})/i

/** Words without a digit: dates, counters and nonces come and go. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).filter((word) => !/\p{N}/u.test(word))

/** UTF-8 with the letters of ASCII in lower case: as many characters as before, which `toLowerCase` would not make everywhere. */
const lowerAscii = (bytes: Uint8Array): Uint8Array => {
  const lower = bytes.slice()
  for (let at = 0; at < lower.length; at++) {
    const byte = lower[at] as number
    if (byte >= 0x41 && byte <= 0x5a) lower[at] = byte + 0x20
  }
  return lower
}

/** What is compared of a page, read once from front to back. */
function* pageFacts(body: Uint8Array): SlicedWork<PageFacts> {
  const bytes = body.subarray(0, MAX_BYTES)
  const html = new TextDecoder().decode(bytes)
  const lower = new TextDecoder().decode(lowerAscii(bytes))
  const seen: string[] = []
  let room = MAX_TEXT
  const see = (text: string): void => {
    const part = text.trim().slice(0, room)
    if (part === '') return
    seen.push(part)
    room -= part.length
  }
  yield bytes.length >> 4
  let lang: string | null = null
  let title: string | null = null
  let at = 0
  for (let tags = 0; at < html.length && room > 0; tags++) {
    yield TAG
    const tag = html.indexOf('<', at)
    if (tag === -1) break
    see(html.slice(at, tag))
    if (tags === MAX_TAGS) {
      at = html.length
      break
    }
    if (html.startsWith('<!--', tag)) {
      const end = html.indexOf('-->', tag + 4)
      at = end === -1 ? html.length : end + 3
      continue
    }
    const close = html.indexOf('>', tag)
    if (close === -1) {
      at = html.length
      continue
    }
    at = close + 1
    const name = /^[a-z][a-z0-9]{0,20}/.exec(lower.slice(tag + 1, tag + 22))?.[0]
    if (name === undefined) continue
    if (name === 'html') {
      lang ??= LANG.exec(html.slice(tag, Math.min(close, tag + MAX_TAG)))?.[1]?.toLowerCase() ?? ''
    } else if (UNSEEN.has(name) || name === 'title') {
      if (html[close - 1] === '/') continue
      const end = lower.indexOf(`</${name}`, at)
      const content = html.slice(at, end === -1 ? html.length : end)
      if (name === 'title') title ??= wordsOf(content.slice(0, MAX_TAG)).join(' ')
      at = end === -1 ? html.length : end
    }
  }
  see(html.slice(at))
  yield (MAX_TEXT - room) >> 3
  const words = new Map<string, number>()
  for (const word of wordsOf(seen.join(' '))) {
    words.set(word, (words.get(word) ?? 0) + 1)
    yield 1
  }
  return { lang: lang ?? '', title: title ?? '', words }
}

/** The share of words that two texts do not have in common: 0 of the same, 1 of wholly different ones. */
const distance = (one: PageFacts, other: PageFacts): number => {
  let common = 0
  let all = 0
  for (const [word, count] of one.words) {
    const there = other.words.get(word) ?? 0
    common += Math.min(count, there)
    all += Math.max(count, there)
  }
  for (const [word, count] of other.words) if (!one.words.has(word)) all += count
  return all === 0 ? 0 : 1 - common / all
}

function* difference(
  pages: [Uint8Array, Uint8Array, Uint8Array],
): SlicedWork<PageDifference | null> {
  const own = yield* pageFacts(pages[0])
  const one = yield* pageFacts(pages[1])
  const two = yield* pageFacts(pages[2])
  const isApart = (by: 'lang' | 'title'): boolean => one[by] === two[by] && own[by] !== one[by]
  if (isApart('lang')) return 'language'
  if (isApart('title')) return 'title'
  yield own.words.size
  const usual = distance(one, two)
  yield own.words.size
  const toOne = distance(own, one)
  yield own.words.size
  const found = Math.min(toOne, distance(own, two))
  return found >= usual + MORE && found >= usual * TIMES ? 'text' : null
}

/**
 * In what the page that a visitor's request made (HTML, UTF-8) differs more from two
 * neutral ones than these do from each other; null: in nothing. What changes from run
 * to run anyway (dates, nonces, counters, teasers that rotate) is no difference. Takes
 * linear time; only the first 512 KiB are looked at, and of them 64 Ki characters of
 * text and 10000 tags; in slices between which the event loop goes round (`pause`).
 * The pages may not change meanwhile.
 */
export const pageDifference = (
  visitor: Uint8Array,
  neutralOne: Uint8Array,
  neutralTwo: Uint8Array,
  pause?: Pause,
): Promise<PageDifference | null> =>
  inSlices(difference([visitor, neutralOne, neutralTwo]), READ_AT_ONCE, pause)
