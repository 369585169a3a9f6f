import type {
  Account,
  AccountActivity,
  AccountFigures,
  ApiResult,
  BackupState,
  CacheOverview,
  Domain,
  ListedCronJob,
} from '../../../api/types.ts'

/** What the dashboard of an account shows; each part may be missing without the others. */
export interface OwnFacts {
  account: Account
  /** Its domains by name, and how many there are. */
  domains: { result: ApiResult<Domain[]>; total: number }
  cache: ApiResult<CacheOverview>
  /** Of the last thirty days. */
  figures: ApiResult<AccountFigures>
  backups: ApiResult<BackupState>
  jobs: ApiResult<ListedCronJob[]>
  activity: ApiResult<AccountActivity[]>
}
