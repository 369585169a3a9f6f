import { readFile } from 'node:fs/promises'
import { WORDPRESS_DIRECTORIES } from '#handlers/domain/profiles/wordpress.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import { conflict, isAppError } from '#handlers/errors.ts'
import type {
  CachePlugin,
  CachePluginPort,
  CachePluginState,
} from '#handlers/ports/host/cache/cache-plugin.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { PageCachePort } from '#handlers/ports/host/cache/page-cache.ts'
import type { Registry } from '../registry/types.ts'
import { siteOf } from './places/sites-of.ts'
import { textOf } from './places/text-of.ts'

const PLUGIN = new URL('../../../wordpress/berth-cache.php', import.meta.url)
/** Stands in every edition of ours, and in the lists of plugins of WordPress. */
const OUR_MARK = 'Plugin Name: Berth Cache'
const NO_WORDPRESS =
  'No WordPress is in the document root of this site, so there is nothing to put the plugin into. Install WordPress there first.'
const FOREIGN =
  'wp-content/mu-plugins/berth-cache.php of this site is not the plugin of Berth. Rename or delete it first.'

/** `CachePluginPort` over the account's files, which are read and written as the account. */
export const createCachePluginPort = (deps: {
  registry: Pick<Registry, 'vhost' | 'account'>
  files: Pick<FilesPort, 'read' | 'write' | 'mkdir' | 'delete'>
  pageCache: Pick<PageCachePort, 'purge'>
}): CachePluginPort => {
  const { registry, files, pageCache } = deps
  const ours = (): Promise<string> => readFile(PLUGIN, 'utf8')

  const look = async (domain: string): Promise<(CachePlugin & { username: string }) | null> => {
    const { username, root } = siteOf(registry, parseSiteName(domain))
    for (const directory of WORDPRESS_DIRECTORIES) {
      const at = `${root === '' ? '' : `${root}/`}${directory}`
      if ((await textOf(files, { username, path: `${at}wp-includes/version.php` })) === null)
        continue
      const path = `${at}wp-content/mu-plugins/berth-cache.php`
      const text = await textOf(files, { username, path })
      let state: CachePluginState = 'none'
      if (text === (await ours())) state = 'current'
      else if (text !== null) state = text.includes(OUR_MARK) ? 'other' : 'foreign'
      return { path, state, username }
    }
    return null
  }

  return {
    async find({ domain }) {
      const found = await look(domain)
      return found && { path: found.path, state: found.state }
    },
    async change({ domain, installed }) {
      const found = await look(domain)
      if (found === null) throw conflict(NO_WORDPRESS)
      const { username, path, state } = found
      if (state === 'foreign') throw conflict(FOREIGN)
      if (installed && state !== 'current') {
        const directory = path.slice(0, path.lastIndexOf('/'))
        await files.mkdir({ username, path: directory }).catch((error: unknown) => {
          if (!isAppError(error) || error.status !== 409) throw error
        })
        await files.write({ username, path, content: await ours(), encoding: 'utf8' })
      } else if (!installed && state !== 'none') await files.delete({ username, path })
      // Pages of before have no tags, and those of a plugin that is gone nobody makes new.
      await pageCache.purge({ domain, scope: { kind: 'all' }, cause: 'files' })
      return { path, state: installed ? 'current' : 'none' }
    },
  }
}
