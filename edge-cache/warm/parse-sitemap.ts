/** What a sitemap (https://www.sitemaps.org/protocol.html) names. */
export interface Sitemap {
  /** Pages of a `<urlset>`, in order. */
  pages: string[]
  /** Sitemaps of a `<sitemapindex>`, in order. */
  children: string[]
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const MAX_URL_LENGTH = 2048

/** Text with XML's own and numeric references resolved; unknown ones stay as they are. */
export const decodeReferences = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const hex = name[1] === 'x' || name[1] === 'X'
    const code = hex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const textOf = (inner: string): string => {
  const trimmed = inner.trim()
  if (trimmed.startsWith('<![CDATA[') && trimmed.endsWith(']]>')) return trimmed.slice(9, -3).trim()
  return decodeReferences(trimmed)
}

/** XML without comments, found by position so that an unclosed one costs one pass. */
const withoutComments = (xml: string): string => {
  let kept = ''
  let from = 0
  for (;;) {
    const start = xml.indexOf('<!--', from)
    if (start === -1) return kept + xml.slice(from)
    kept += xml.slice(from, start)
    const end = xml.indexOf('-->', start + 4)
    if (end === -1) return kept
    from = end + 3
  }
}

/**
 * Reads the `<loc>` of a sitemap or sitemap index, at most `max` of them. No XML
 * parser: nothing is declared, expanded or fetched, a broken or truncated file
 * gives what stands before the fault, and `<image:loc>` and the like are no pages.
 */
export const parseSitemap = (text: string, max: number): Sitemap => {
  const xml = withoutComments(text)
  const isIndex = /<(?:[a-z][\w-]*:)?sitemapindex[\s>]/i.test(xml.slice(0, 10_000))
  const found: string[] = []
  const opening = /<loc(?:\s[^<>]*)?>/gi
  for (
    let match = opening.exec(xml);
    match !== null && found.length < max;
    match = opening.exec(xml)
  ) {
    const start = opening.lastIndex
    const end = xml.indexOf('</', start)
    if (end === -1) break
    opening.lastIndex = end
    if (end - start > MAX_URL_LENGTH + 12) continue
    const url = textOf(xml.slice(start, end))
    if (url !== '' && url.length <= MAX_URL_LENGTH) found.push(url)
  }
  return isIndex ? { pages: [], children: found } : { pages: found, children: [] }
}

/** The `Sitemap:` lines of a robots.txt (RFC 9309, 2.2.4), at most `max`. */
export const parseRobotsSitemaps = (text: string, max: number): string[] =>
  text
    .slice(0, 500_000)
    .split(/\r\n|\r|\n/)
    .flatMap((line) => /^\s*sitemap\s*:\s*([^\s#]{1,2048})/i.exec(line)?.[1] ?? [])
    .slice(0, max)
