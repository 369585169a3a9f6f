import { cacheResponsesContract } from './cache-responses.ts'
import { cacheContentTagsContract } from './cache-content-tags.ts'
import { cacheEditionsContract } from './cache-editions.ts'
import { cacheEncodingsContract } from './cache-encodings.ts'
import { cacheEncodingRulesContract } from './cache-encoding-rules.ts'
import type { ContractCase } from './cache-case.ts'
import { cacheCookiesContract } from './cache-cookies.ts'
import { cacheFillAttacksContract } from './cache-fill-attacks.ts'
import { cacheFillsContract } from './cache-fills.ts'
import type { LowerLayer } from './cache-harness.ts'
import { cacheObservationsContract } from '../cache-observations.ts'
import { cachePurgesContract } from './cache-purges.ts'
import { cacheRulesContract } from './cache-rules.ts'
import { cacheSharedFillContract } from './cache-shared-fill.ts'
import { cacheSoftPurgesContract } from './cache-soft-purges.ts'
import { cacheStaleContract } from './cache-stale.ts'
import { cacheVariantsContract } from './cache-variants.ts'
import { cacheVisitorFillsContract } from './cache-visitor-fills.ts'

/** What the middleware keeps to, over a given lower layer (a fresh one per case). */
export const pageCacheContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  ...cacheRulesContract(),
  ...cacheCookiesContract(),
  ...cacheResponsesContract(),
  ...cacheContentTagsContract(createLower),
  ...cacheFillsContract(),
  ...cacheEditionsContract(),
  ...cacheEncodingRulesContract(),
  ...cacheEncodingsContract(createLower),
  ...cachePurgesContract(createLower),
  ...cacheSharedFillContract(),
  ...cacheStaleContract(createLower),
  ...cacheSoftPurgesContract(createLower),
  ...cacheVariantsContract(),
  ...cacheVisitorFillsContract(),
  ...cacheFillAttacksContract(),
  ...cacheObservationsContract(),
]
