import type { AskOrigin, PageCacheContext, PageVariant } from '../page-mode/page-cache.ts'
import type { CacheKey } from '../types.ts'

/** One request for a page that may be shared. */
export interface Asked {
  request: Request
  context: PageCacheContext
  key: CacheKey
  variant: PageVariant
  next: AskOrigin
}
