import type { ListQuery, Page } from '../list-query.ts'
import type {
  AccountRow,
  OperationRow,
  ResellerLimits,
  ResellerRow,
  Timestamp,
} from '../records.ts'

/** What the accounts of a reseller have together. */
export interface ResellerUse {
  accounts: number
  domains: number
  databases: number
  /** The sum of the quotas. */
  disk_promised_mb: number
  bandwidth_promised_mb: number
  disk_used_mb: number
  /** What their sites have sent in `month` of the query. */
  bandwidth_used_bytes: number
}

/** A reseller with the plans that he may give and what his accounts have. */
export type KnownReseller = ResellerRow & { plans: string[]; use: ResellerUse }

/** Why a reseller cannot have what is asked for; `gone`: he is not there, or suspended. */
export type ResellerShortage =
  'gone' | 'plan' | 'accounts' | 'domains' | 'databases' | 'disk' | 'bandwidth'

/** Part of the store: resellers, and what binds their accounts to them. */
export interface ResellerStore {
  /** By id unless the query says otherwise; `q` is looked for in names. `month` (`2026-11`) is that of the traffic. */
  listResellers(month: string, query?: ListQuery): Promise<Page<KnownReseller>>
  /** As listed; null when there is none, or no longer. */
  knownReseller(id: number, month: string): Promise<KnownReseller | null>
  /** Null when there is none, or no longer. */
  resellerById(id: number): Promise<ResellerRow | null>
  /** Null when there is none; the case counts. */
  resellerByName(username: string): Promise<ResellerRow | null>
  /** Ids of his accounts, in whatever status. */
  accountIdsOf(resellerId: number): Promise<number[]>
  /** His accounts, by id. */
  accountsOfReseller(resellerId: number): Promise<AccountRow[]>
  /** Whether he may give a plan. */
  mayGivePlan(resellerId: number, plan: string): Promise<boolean>
  /** `'duplicate'` when any user of the panel has the name, in whatever case; `'no-plan'` when one of the plans is not there. */
  insertReseller(
    row: Omit<ResellerRow, 'id'>,
    plans: readonly string[],
  ): Promise<ResellerRow | 'duplicate' | 'no-plan'>
  /** What is absent stays; `plans` replaces all of them. `endTokens` deletes the API tokens with it. */
  updateReseller(
    id: number,
    change: Partial<Omit<ResellerRow, 'id' | 'created_at'>>,
    options?: { plans?: readonly string[]; endTokens?: boolean },
  ): Promise<'done' | 'duplicate' | 'no-plan'>
  /** Changes the status only if it is `from` now, with the operation that goes on from there; false when it was not. Ends API tokens. */
  transitReseller(
    id: number,
    from: ResellerRow['status'],
    operation: OperationRow,
    change: Partial<Omit<ResellerRow, 'id' | 'created_at'>>,
  ): Promise<boolean>
  /** Deletes him with tokens, passkeys and second factor. `'used'` while he has accounts. */
  deleteReseller(id: number): Promise<'done' | 'used'>
  /**
   * Gives accounts to a reseller (null: the administrators), together with the operation:
   * all of them or none. Their sessions and API tokens end, and so does that they were
   * suspended with the one before. Atomic: parallel calls cannot pass a limit.
   */
  moveAccounts(
    ids: readonly number[],
    to: number | null,
    operation: OperationRow,
    at: Timestamp,
  ): Promise<'done' | ResellerShortage>
  /**
   * Changes what is promised to an account of a reseller, together with the operation, unless
   * that raises a promise above his limits or the plan is not one of his.
   */
  updatePromise(
    account: Pick<AccountRow, 'id' | 'disk_quota_mb' | 'bandwidth_quota_mb'>,
    resellerId: number,
    change: Partial<Omit<AccountRow, 'id'>>,
    operation: OperationRow,
  ): Promise<'done' | ResellerShortage>
}

/** Names of limits, as `ResellerRow` has them. */
export type ResellerLimit = keyof ResellerLimits
