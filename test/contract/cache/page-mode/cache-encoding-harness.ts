import type { BodyEncoder, ContentCoding } from '#edge-cache/index.ts'
import { createHarness, gate, html, type Harness } from './cache-harness.ts'

export const PAGE = 'http://a.test/page'
export const ETAG = '"v1"'

/** 4000 characters of text. */
export const TEXT = 'All work and no play makes Jack a dull boy. '.repeat(91).slice(0, 4000)

/** Parts of the size that the scripted codings leave. */
const LEFT: Record<ContentCoding, number> = { gzip: 4, br: 8 }

/** What the scripted encoder makes of a text: its name and the beginning. */
export const encodedText = (text: string, coding: ContentCoding): string =>
  `${coding}:${text.slice(0, text.length / LEFT[coding])}`

export interface ScriptedEncoder extends BodyEncoder {
  /** Codings asked for so far. */
  asked: ContentCoding[]
  /** Replaces what is done for each body. */
  make: BodyEncoder['encode']
}

/** An encoder whose output can be foretold. */
export const scriptedEncoder = (): ScriptedEncoder => {
  const encoder: ScriptedEncoder = {
    asked: [],
    foreignMs: 100,
    make(body, coding) {
      const text = encodedText(new TextDecoder().decode(body), coding)
      return Promise.resolve(new Uint8Array(new TextEncoder().encode(text)))
    },
    encode(body, coding) {
      encoder.asked.push(coding)
      return encoder.make(body, coding)
    },
  }
  return encoder
}

export interface EncodingHarness extends Harness {
  encoder: ScriptedEncoder
  /** GET of the page with an Accept-Encoding field. */
  accept(codings: string | null, over?: Record<string, string>): Promise<Response>
}

/** A page cache with a scripted encoder before an origin that answers `TEXT`. */
export const encodingHarness = (
  options: Parameters<typeof createHarness>[0] = {},
  headers: Record<string, string> = {},
): EncodingHarness => {
  const encoder = scriptedEncoder()
  const harness = createHarness({ ...options, encoder })
  harness.origin = () => html(TEXT, headers)
  return Object.assign(harness, {
    encoder,
    accept: (codings: string | null, over: Record<string, string> = {}) =>
      harness.ask(PAGE, {
        headers: { ...(codings === null ? {} : { 'accept-encoding': codings }), ...over },
      }),
  })
}

/** The same with the page stored in every coding. */
export const encodedPage = async (
  options: Parameters<typeof createHarness>[0] = {},
  headers: Record<string, string> = {},
): Promise<EncodingHarness> => {
  const harness = encodingHarness(options, headers)
  await harness.get(PAGE)
  await harness.idle()
  return harness
}

/** Lets nothing be encoded before the answered function is called. */
export const holdEncoder = ({ encoder }: EncodingHarness): (() => void) => {
  const { opened, open } = gate()
  const { make } = encoder
  encoder.make = async (body, coding) => {
    await opened
    return make(body, coding)
  }
  return open
}
