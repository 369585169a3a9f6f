import { z } from 'zod'
import { domain, nothing, operationId, text } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about the page cache, by port and method. */
export const PAGE_CACHE_ARGUMENTS: Pick<ArgumentTable, 'pageCache' | 'cachePlugin'> = {
  pageCache: {
    report: nothing,
    purge: z.object({
      domain,
      scope: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('all') }),
        z.object({ kind: z.literal('paths'), paths: z.array(text(8192)).min(1).max(100) }),
        z.object({ kind: z.literal('tags'), tags: z.array(text(1024)).min(1).max(100) }),
      ]),
      cause: text(128).exactOptional(),
    }),
    insight: z.object({ domain }),
    forgetCookie: z.object({ domain, name: text(128).min(1).nullable() }),
    warm: z.object({
      domain,
      batch: operationId,
      urls: z.array(text(8192)).max(2000),
      discover: z.boolean(),
    }),
    warmProgress: z.object({ batch: operationId }),
  },
  cachePlugin: {
    find: z.object({ domain }),
    change: z.object({ domain, installed: z.boolean() }),
  },
}
