import { AppError, forbidden, invalid } from '../../errors.ts'

/** Plans that are there from the beginning and stay; their limits may be changed. */
const BUILT_IN_PLANS = ['free', 'pro', 'business'] as const

/** Names by which the panel's form calls built-in plans: a plan of that name would be taken for another. */
const FORM_NAMES = ['basic', 'standard', 'premium', 'enterprise']

/** Whether a plan of this name is there from the beginning, so that nobody may delete it. */
export const isBuiltInPlan = (name: string): boolean =>
  BUILT_IN_PLANS.some((builtIn) => builtIn === name)

/** Name of a new plan: 2-32 of a-z, 0-9, `-` and `_`, a letter first. Throws 400 naming `name`. */
export const parsePlanName = (input: string): string => {
  const name = input.trim().toLowerCase()
  if (!/^[a-z][a-z0-9_-]{1,31}$/.test(name)) {
    throw invalid(
      'name',
      'name must be 2 to 32 characters of a-z, 0-9, - and _, and begin with a letter.',
    )
  }
  if (FORM_NAMES.includes(name)) {
    throw invalid(
      'name',
      `name ${name} is what the panel's form calls one of the plans ${BUILT_IN_PLANS.join(', ')}. Choose another name.`,
    )
  }
  return name
}

/** Throws 403 where a quota is wanted that is larger than the plan's. */
export const assertWithinPlan = (
  wanted: { diskQuotaMb?: number | null | undefined; bandwidthQuotaMb?: number | null | undefined },
  plan: { name: string; disk_quota_mb: number; bandwidth_quota_mb: number },
): void => {
  const above = (
    field: 'disk_quota_mb' | 'bandwidth_quota_mb',
    value: number | null | undefined,
  ) => {
    if ((value ?? 0) <= plan[field]) return
    throw new AppError(
      403,
      `${field} may be at most ${plan[field]}, as plan ${plan.name} has it. Choose a larger plan.`,
      { field },
    )
  }
  above('disk_quota_mb', wanted.diskQuotaMb)
  above('bandwidth_quota_mb', wanted.bandwidthQuotaMb)
}

/** What a plan counts, as messages call several of it. */
type Counted =
  | 'domains'
  | 'databases'
  | 'database users'
  | 'API tokens'
  | 'backups'
  | 'cron jobs'
  | 'SSH keys'
  | 'people and invitations'
  | 'SFTP users'
  | 'addresses'
  | 'applications'

/** 403: an account has what its plan allows. `used` may be above `limit`, e.g. after a change of plan. */
export const planLimitReached = (
  account: { username: string; plan: string },
  what: Counted,
  used: number,
  limit: number,
): AppError =>
  forbidden(
    `Account ${account.username} has ${used} of the ${limit} ${what} that its plan ${account.plan} allows. Delete one that is not needed, or ask the administrator for a larger plan.`,
  )
