import { forbidden } from '../../errors.ts'
import type { AppError } from '../../errors.ts'

/** Limits of the tiers; -1 is unlimited. */
export const TIER_LIMITS = {
  community: { accounts: 5, domains: 10 },
  pro: { accounts: 50, domains: 250 },
  business: { accounts: -1, domains: -1 },
} as const

/** 403 with the text that the API promises. */
export const accountLimitReached = (count: number, limit: number): AppError =>
  forbidden(`Account limit reached (${count}/${limit}). Upgrade your license for more.`)

/** 403 with the text that the API promises. */
export const domainLimitReached = (count: number, limit: number): AppError =>
  forbidden(`Domain limit reached (${count}/${limit}). Upgrade your license for more.`)

/** Limits of the licence in force; negative: none. */
export interface LicenseLimits {
  accounts: number
  domains: number
}

/**
 * How many of the licence's domains accounts may not take for themselves: one for
 * each account that it still allows, so that no account takes the primary domain of
 * the next. One, where it allows any number of accounts.
 */
export const heldBackDomains = (limits: LicenseLimits, accounts: number): number => {
  if (limits.domains < 0) return 0
  return limits.accounts < 0 ? 1 : Math.max(0, limits.accounts - accounts)
}

/** 403 for an account's user: what is left of the licence's domains is held back. */
export const domainsHeldBack = (count: number, limit: number, heldBack: number): AppError =>
  forbidden(
    `This server has ${count} of the ${limit} domains of its license, and the last ${heldBack} are kept for accounts that are still to come. Ask the administrator to add this domain or to upgrade the license.`,
  )
