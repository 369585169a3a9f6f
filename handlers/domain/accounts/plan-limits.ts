/**
 * The limits of a plan by their names in the API, in the order in which they are shown,
 * with the least and the most that each may be. The API checks by them, and so do
 * form and command line before they ask it.
 */
export const PLAN_LIMITS = {
  disk_quota_mb: [1, 1_000_000_000],
  bandwidth_quota_mb: [1, 1_000_000_000],
  /** Without the primary domain there is no account. */
  domains_limit: [1, 1_000_000],
  databases_limit: [0, 1_000_000],
  database_users_limit: [0, 10_000],
  tokens_limit: [0, 100],
  backups_limit: [0, 10_000],
  cron_jobs_limit: [0, 10_000],
  ssh_keys_limit: [0, 1000],
  /** Counted by recipients; in 24 hours ten times as many. */
  mails_per_hour_limit: [0, 100_000],
  people_limit: [0, 1000],
  sftp_users_limit: [0, 1000],
  /** From which databases may be reached. */
  database_addresses_limit: [0, 100],
  applications_limit: [0, 1000],
  /** 1: its accounts may be given a shell; 0: none may. */
  shells_limit: [0, 1],
  /** Fewer would keep PHP from starting. */
  processes_limit: [25, 10_000],
  /** Of one process. */
  memory_limit_mb: [128, 1_000_000],
  /** Of all processes together; 0: no limit. */
  memory_total_mb: [0, 10_000_000],
  /** Part of the processor where it is short. */
  cpu_weight: [1, 10_000],
  /** Of one processor; 0: no limit. */
  cpu_percent: [0, 100_000],
  /** Part of the disk's time where it is short. */
  io_weight: [1, 10_000],
} as const

/** Those that are a yes or a no. */
export const isYesOrNo = (limit: PlanLimit): boolean => PLAN_LIMITS[limit].join() === '0,1'

/** Name of a limit, as in the API. */
export type PlanLimit = keyof typeof PLAN_LIMITS

/**
 * Limits that came after the others, with what a new plan gets that does not name them: the
 * program that made plans before can make them still.
 */
export const LATER_LIMITS = {
  cron_jobs_limit: 5,
  ssh_keys_limit: 5,
  database_users_limit: 5,
  mails_per_hour_limit: 100,
  people_limit: 5,
  sftp_users_limit: 3,
  database_addresses_limit: 3,
  applications_limit: 2,
  shells_limit: 0,
  memory_total_mb: 2048,
  cpu_weight: 100,
  cpu_percent: 0,
  io_weight: 100,
} as const satisfies Partial<Record<PlanLimit, number>>
