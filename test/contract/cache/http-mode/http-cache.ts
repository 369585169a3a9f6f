import type { ContractCase } from '../page-mode/cache-case.ts'
import type { LowerLayer } from '../page-mode/cache-harness.ts'
import { httpFillsContract } from './fills.ts'
import { httpRequestsContract } from './requests.ts'
import { httpSelectingContract } from './selecting.ts'
import { httpStaleContract } from './stale.ts'
import { httpStoringContract } from './storing.ts'
import { httpTargetedContract } from './targeted.ts'

/** What a shared cache as of RFC 9111 keeps to, over a given lower layer (a fresh one per case). */
export const httpCacheContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  ...httpStoringContract(),
  ...httpTargetedContract(),
  ...httpRequestsContract(),
  ...httpSelectingContract(),
  ...httpStaleContract(),
  ...httpFillsContract(createLower),
]
