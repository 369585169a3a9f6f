import type { OperationRow, PlanLimits, PlanRow, Timestamp } from './records.ts'

/** A plan and how many accounts have it. */
export type UsedPlan = PlanRow & { accounts: number }

/** How much of what its plan counts an account has. */
export interface AccountUsage {
  domains: number
  databases: number
  database_users: number
  tokens: number
  /** Those on this host, and snapshots in all places, that no schedule has made. */
  backups: number
  cron_jobs: number
  ssh_keys: number
  /** Invitations that stand among them. */
  people: number
  sftp_users: number
  database_addresses: number
  applications: number
  /** 1: it was said that it has one. */
  shells: number
}

/** Part of the store: plans. */
export interface PlanStore {
  /** Smallest disk quota first. */
  listPlans(): Promise<UsedPlan[]>
  /** Null when there is none of that name. */
  planByName(name: string): Promise<UsedPlan | null>
  /** `'duplicate'` when there is one of that name. */
  insertPlan(row: PlanRow): Promise<UsedPlan | 'duplicate'>
  /**
   * Changes the plan. Quotas of its accounts that were the plan's follow it, and for
   * each account that stands an operation of `kind` is opened, `data` as
   * `{account_id}`. Answers those operations.
   */
  updatePlan(
    name: string,
    change: Partial<PlanLimits>,
    at: Timestamp,
    kind: string,
  ): Promise<OperationRow[]>
  /** `'used'` while accounts have it. */
  deletePlan(name: string): Promise<'done' | 'used'>
  /** What an account has; zeros for an unknown one. */
  accountUsage(accountId: number): Promise<AccountUsage>
}
