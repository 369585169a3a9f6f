import type { DirectiveReader } from './directive-types.ts'

/**
 * Directives of LiteSpeed's cache and of mod_cache. Looking up and storing is on where
 * the virtual host's page cache is; only what turns it off says something here.
 */
export const CACHE_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  cachedisable: (args, { directory }) => {
    const words = args.filter((arg) => !/^(?:public|private)$/i.test(arg))
    const paths = words.filter((word) => word.startsWith('/'))
    // Without a path it is for the directory.
    if (paths.length === 0 && words.every((word) => /^on$/i.test(word))) paths.push(directory)
    if (paths.length === 0) return null
    return (settings) => {
      settings.uncached.push(...paths)
    }
  },
}
