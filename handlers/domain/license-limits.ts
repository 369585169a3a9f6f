import { forbidden } from '../errors.ts'
import type { AppError } from '../errors.ts'

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
