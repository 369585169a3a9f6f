import type { Account, ApiResult } from './types'

/** The accounts that a page offers to choose from. */
export interface AccountChoices {
  result: ApiResult<Account[]>
  /** How many there are in all. */
  total: number
  /** The one that the address names as `account`, else the first; null when there is none. */
  chosen: Account | null
}
