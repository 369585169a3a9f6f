import { AppError, conflict, forbidden } from '../../errors.ts'

/** The limits of a reseller by their names in the API, with the least and the most that each may be; null is none. */
export const RESELLER_LIMITS = {
  accounts_limit: [0, 1_000_000],
  domains_limit: [0, 1_000_000],
  databases_limit: [0, 1_000_000],
  disk_limit_mb: [0, 1_000_000_000_000],
  bandwidth_limit_mb: [0, 1_000_000_000_000],
} as const

const SAID = {
  accounts: 'accounts',
  domains: 'domains of all accounts together',
  databases: 'databases of all accounts together',
  disk: 'disk space that may be promised to accounts',
  bandwidth: 'traffic that may be promised to accounts',
} as const

/** 403: what is asked for is more than the reseller of an account may have. */
export const resellerLimitReached = (what: keyof typeof SAID): AppError =>
  forbidden(
    `The reseller's limit of ${SAID[what]} is reached. Give something back, or ask the administrator of the server for more.`,
  )

/** The refusal for what `Store` calls short. */
export const resellerShort = (
  short: keyof typeof SAID | 'gone' | 'plan',
  plan: string,
): AppError => {
  if (short === 'gone')
    return conflict('The reseller is suspended or was deleted. Unsuspend him first.', 'reseller_id')
  if (short === 'plan')
    return new AppError(403, `Plan ${plan} is not among those that the reseller may give.`, {
      field: 'plan',
    })
  return resellerLimitReached(short)
}
