import { z } from 'zod'
import { fromBase64Url, toBase64Url } from '../text/base64-url.ts'

const PREFIX = 'berth-panel-1.'
const MAX_CHARS = 1000

const schema = z.strictObject({
  v: z.literal(1),
  /** `host:port` of a panel that runs, as the new machine reaches it. */
  address: z.string().max(260),
  /** SHA-256 of the certificate that it shows, hex: no other is believed. */
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  secret: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
})

/** By what a machine joins the panels over one store. A secret, until it was used or has run out. */
export type PanelToken = z.output<typeof schema>

/** A token as one word. */
export const panelTokenOf = (token: PanelToken): string =>
  PREFIX + toBase64Url(new TextEncoder().encode(JSON.stringify(schema.parse(token))))

/** What a token says; null: it is none, or not whole. */
export const parsePanelToken = (text: string): PanelToken | null => {
  const given = text.trim()
  if (!given.startsWith(PREFIX) || given.length > MAX_CHARS) return null
  try {
    const bytes = fromBase64Url(given.slice(PREFIX.length))
    return schema.parse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)),
    )
  } catch {
    return null
  }
}
