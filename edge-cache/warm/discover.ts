import { parseLinks } from './parse-links.ts'
import { parseRobotsSitemaps, parseSitemap } from './parse-sitemap.ts'
import type { WarmTarget } from '../address/warm-target.ts'

/** Sitemaps read per virtual host; each may hold 50 000 pages. */
const MAX_SITEMAPS = 20
/** Redirects followed within the virtual host, e.g. /sitemap.xml to /wp-sitemap.xml. */
const MAX_REDIRECTS = 3
/** Of a long list only this many times the wanted pages are looked at. */
const SCAN_FACTOR = 20

/** A document as it was read, cut off at the reader's limit. */
export interface WarmDocument {
  status: number
  /** Lower case, without parameters. */
  contentType: string
  location: string | null
  text: string
}

/** How documents of one virtual host are read and judged. */
export interface DiscoverDeps {
  /** Reads one document of the virtual host; null when there is no response. */
  read(target: WarmTarget): Promise<WarmDocument | null>
  /** The target that a URL means if it is a page of this virtual host that may be cached. */
  page(url: string): WarmTarget | null
  /** The same for a document that need not be cached, e.g. a sitemap on an excluded path. */
  document(url: string): WarmTarget | null
  /** URL of the home page, e.g. `https://example.com/`. */
  home: string
  /** At most so many pages; at least 1. */
  max: number
}

const urlOf = ({ host, path, secure }: WarmTarget): string =>
  `${secure ? 'https' : 'http'}://${host}${encodeURI(path).replace(/%25(?=[0-9A-F]{2})/g, '%')}`

/**
 * The pages of a virtual host that are worth warming, the same every time: the
 * home page, what the sitemaps name in their order, then what the home page
 * links to, up to `max`. robots.txt is asked where there is no /sitemap.xml.
 */
export const discoverTargets = async (deps: DiscoverDeps): Promise<WarmTarget[]> => {
  const { max } = deps
  const pages = new Map<string, WarmTarget>()
  const add = (url: string): void => {
    if (pages.size >= max) return
    const target = deps.page(url)
    // http and https are one page here; each scheme is filled as the host wants it.
    if (target !== null) {
      const id = `${target.host}${target.path}`
      if (!pages.has(id)) pages.set(id, target)
    }
  }
  const read = async (url: string): Promise<{ document: WarmDocument; url: string } | null> => {
    let at = url
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const target = deps.document(at)
      const document = target === null ? null : await deps.read(target)
      if (target === null || document === null) return null
      if (document.status === 200) return { document, url: at }
      if (document.status < 300 || document.status > 399 || document.location === null) return null
      try {
        at = new URL(document.location, urlOf(target)).href
      } catch {
        return null
      }
    }
    return null
  }

  add(deps.home)
  if (pages.size < max) {
    const asked = new Set<string>()
    const readSitemaps = async (first: readonly string[]): Promise<boolean> => {
      const open = [...first]
      let found = false
      for (let url = open.shift(); url !== undefined; url = open.shift()) {
        if (pages.size >= max || asked.size >= MAX_SITEMAPS) break
        if (asked.has(url)) continue
        asked.add(url)
        const answer = await read(url)
        if (answer === null || answer.document.contentType === 'text/html') continue
        found = true
        const { pages: named, children } = parseSitemap(answer.document.text, max * SCAN_FACTOR)
        // Children in the place of their index, so that the order is the file's.
        open.unshift(...children)
        named.forEach(add)
      }
      return found
    }
    if (!(await readSitemaps([new URL('/sitemap.xml', deps.home).href]))) {
      const robots = await read(new URL('/robots.txt', deps.home).href)
      if (robots?.document.contentType === 'text/plain') {
        await readSitemaps(parseRobotsSitemaps(robots.document.text, MAX_SITEMAPS))
      }
    }
  }
  if (pages.size < max) {
    const home = await read(deps.home)
    if (home?.document.contentType === 'text/html') {
      parseLinks(home.document.text, home.url, max * SCAN_FACTOR).forEach(add)
    }
  }
  return [...pages.values()]
}
