import type { DirectiveReader } from './directive-types.ts'

/**
 * Directives of LiteSpeed's cache and of mod_cache. Looking up and storing is on where
 * the virtual host's page cache is; only what turns it off says something here.
 */
export const CACHE_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  cachedisable: (args, { directory }) => {
    const words = args.map((arg) => arg.toLowerCase())
    // Pages of one visitor are not stored anyway.
    if (words.includes('private') && !words.includes('public')) return null
    const named = args.filter((arg) => arg.startsWith('/'))
    const paths = named.length > 0 ? named : [directory]
    return (settings) => {
      settings.uncached.push(...paths)
    }
  },
}
