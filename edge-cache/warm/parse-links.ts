import { decodeReferences } from './parse-sitemap.ts'

const MAX_HREF_LENGTH = 2048

/** What is no page: nothing is to be gained from asking for it. */
const OTHER_FILES =
  /\.(?:7z|avi|avif|bmp|bz2|css|csv|docx?|eot|epub|exe|gif|gz|ico|iso|jpe?g|js|json|m4a|map|mjs|mov|mp3|mp4|mpe?g|odt|ogg|otf|pdf|png|pptx?|rar|rss|rtf|svg|tar|tgz|tiff?|ttf|txt|wasm|wav|webm|webp|wmv|woff2?|xlsx?|xml|xz|zip)$/i

/** What ends an element whose content is no markup. */
const CLOSING: Record<string, RegExp> = {
  '!--': /-->/g,
  script: /<\/script/gi,
  style: /<\/style/gi,
  template: /<\/template/gi,
  textarea: /<\/textarea/gi,
  noscript: /<\/noscript/gi,
  title: /<\/title/gi,
}

/** HTML without comments and without elements whose content is no markup. */
const markupOnly = (html: string): string => {
  const opening = /<(?:(!--)|(script|style|template|textarea|noscript|title)(?=[\s/>]))/gi
  let kept = ''
  let from = 0
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    kept += html.slice(from, match.index)
    const closing = CLOSING[(match[1] ?? match[2] ?? '').toLowerCase()]
    if (closing === undefined) return kept
    closing.lastIndex = opening.lastIndex
    if (closing.exec(html) === null) return kept
    from = closing.lastIndex
    opening.lastIndex = from
  }
  return kept + html.slice(from)
}

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

/** Attributes in the text of a start tag, lower-case names; of two alike the first counts. */
const attributesOf = (tag: string): Map<string, string> => {
  const found = new Map<string, string>()
  for (const [, name = '', double, single, bare] of tag.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, decodeReferences(double ?? single ?? bare ?? '').trim())
  }
  return found
}

const resolve = (href: string, base: string): URL | null => {
  try {
    return new URL(href, base)
  } catch {
    return null
  }
}

/**
 * Absolute URLs of the pages that a page links to with `<a href>`, in order,
 * each once, at most `max`; without fragments. Left out: other schemes, links
 * with a query or `rel=nofollow`, downloads and what is no page by its name.
 * `base` is the page's own URL; a `<base href>` is heeded. The text may be
 * anything: it is scanned, never run, in time linear to its size.
 */
export const parseLinks = (text: string, base: string, max: number): string[] => {
  const html = markupOnly(text)
  const links = new Set<string>()
  const tags = /<(a|base)(?=[\s/])([^<>]{0,4096})>/gi
  let from = base
  for (let match = tags.exec(html); match !== null && links.size < max; match = tags.exec(html)) {
    const [, name = '', inside = ''] = match
    const attributes = attributesOf(inside)
    const href = attributes.get('href')
    if (href === undefined || href === '' || href.length > MAX_HREF_LENGTH) continue
    if (name.toLowerCase() === 'base') {
      from = resolve(href, base)?.href ?? from
      continue
    }
    if (attributes.has('download')) continue
    if (/\bnofollow\b/i.test(attributes.get('rel') ?? '')) continue
    const url = resolve(href, from)
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) continue
    if (url.search !== '' || url.href.includes('?') || OTHER_FILES.test(url.pathname)) continue
    url.hash = ''
    links.add(url.href)
  }
  return [...links]
}
