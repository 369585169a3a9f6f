import type { AskOrigin, PageCacheContext } from '../address/page-context.ts'
import type { PageVariant } from '../address/key.ts'
import type { CacheKey } from '../types.ts'

/** One request for a page that may be shared. */
export interface PageRequest {
  request: Request
  context: PageCacheContext
  key: CacheKey
  variant: PageVariant
  next: AskOrigin
}
