import type { PageCachePort } from '#handlers/ports/host/cache/page-cache.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { DiskUsage } from '../files/disk-usage-cache.ts'
import type { AccountLock, Registry } from '../registry/types.ts'
import type { RunInSite } from './run-in-site.ts'

/** What files and databases of sites are worked on with. */
export interface SiteWorkDeps {
  registry: Registry
  lock: AccountLock
  files: FilesPort
  usage: Pick<DiskUsage, 'availableBytes' | 'forget'>
  pageCache: Pick<PageCachePort, 'purge'>
  runInSite: RunInSite
  log: Log
}
