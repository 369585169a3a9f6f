import type { ContractCase } from './cache-case.ts'
import type { LowerLayer } from './cache-harness.ts'
import { httpFillsContract } from './http-cache-fills.ts'
import { httpRequestsContract } from './http-cache-requests.ts'
import { httpSelectingContract } from './http-cache-selecting.ts'
import { httpStaleContract } from './http-cache-stale.ts'
import { httpStoringContract } from './http-cache-storing.ts'
import { httpTargetedContract } from './http-cache-targeted.ts'

/** What a shared cache as of RFC 9111 keeps to, over a given lower layer (a fresh one per case). */
export const httpCacheContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  ...httpStoringContract(),
  ...httpTargetedContract(),
  ...httpRequestsContract(),
  ...httpSelectingContract(),
  ...httpStaleContract(),
  ...httpFillsContract(createLower),
]
