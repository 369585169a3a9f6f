import type { PageCachePort } from '#handlers/ports/host/cache/page-cache.ts'
import type { RegisteredAccount, Registry } from '../../registry/types.ts'
import { sitesOf } from './sites-of.ts'

const meet = (one: string, other: string): boolean =>
  one === '' || other === one || other.startsWith(`${one}/`)

/**
 * Makes the pages new of every site that shows a folder of an account, or a part of it: several domains
 * may have one document root, as those of a network of sites do.
 */
export const createPurgeSites =
  (deps: { registry: Pick<Registry, 'vhostsOf'>; pageCache: Pick<PageCachePort, 'purge'> }) =>
  async (account: RegisteredAccount, path: string): Promise<void> => {
    for (const { domain, root } of sitesOf(deps.registry, account))
      if (meet(root, path) || meet(path, root))
        await deps.pageCache.purge({ domain, scope: { kind: 'all' }, cause: 'files' })
  }
