import { TIER_LIMITS } from '../../domain/license/license-limits.ts'
import type { LicensePort } from '../../ports/license.ts'

/** The licence of an installation without a licence file: Community, and valid. */
export const communityLicense: LicensePort = {
  current: async () => ({
    tier: 'community',
    valid: true,
    accounts_limit: TIER_LIMITS.community.accounts,
    domains_limit: TIER_LIMITS.community.domains,
    problem: null,
    holder: null,
    expires_at: null,
  }),
}
