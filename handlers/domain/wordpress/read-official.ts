import { z } from 'zod'
import { readVersionText } from './wordpress-version.ts'

const MAX_OFFERS = 100
const MAX_FILES = 20_000
/** Languages as WordPress calls them: `de_DE`, `pt_PT_ao90`. */
export const LOCALE_NAME = /^[a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z0-9]{2,10})?$/

const offersSchema = z.object({
  offers: z.array(z.object({ version: z.string(), locale: z.string() })).max(MAX_OFFERS),
})
const sumsSchema = z.object({
  checksums: z.record(z.string().max(500), z.string().regex(/^[0-9a-f]{32}$/)),
})

const parsed = <T>(schema: z.ZodType<T>, text: string): T | null => {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** A version that wordpress.org gives out. */
export interface OfficialCore {
  version: string
  /** Of a language alone; null: English, for everybody. */
  locale: string | null
}

/** What the list of versions (`/core/version-check/1.7/`) offers, each once; null where it is no such list. */
export const readOffers = (text: string): OfficialCore[] | null => {
  const found = parsed(offersSchema, text)
  if (found === null) return null
  const offers = new Map<string, OfficialCore>()
  for (const { version, locale } of found.offers) {
    if (readVersionText(version) === null || !LOCALE_NAME.test(locale)) continue
    const core = { version, locale: locale === 'en_US' ? null : locale }
    offers.set(`${version} ${locale}`, core)
  }
  return [...offers.values()]
}

/**
 * The MD5 sums of a version's files by their paths (`/core/checksums/1.0/`), those of the core: what
 * stands in `wp-content` is the site's. Null where there are none.
 */
export const readChecksums = (text: string): Map<string, string> | null => {
  const found = parsed(sumsSchema, text)
  if (found === null) return null
  const files = Object.entries(found.checksums)
  if (files.length === 0 || files.length > MAX_FILES) return null
  return new Map(
    files.filter(([path]) => /^wp-(?:admin|includes)\//.test(path) || /^[^/]+\.php$/.test(path)),
  )
}
