import { PLAN_LIMITS } from '#handlers/domain/accounts/plan-limits.ts'
import { givenSome } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'

/** `berth accounts update`. */
export const updateAccount: CommandSpec = {
  summary: 'change the email, plan or quotas of an account',
  args: [ACCOUNT],
  options: [
    ['--email <address>', 'of the owner'],
    ['--plan <plan>', 'quotas that were those of the plan follow it'],
    ['--disk-quota <mb>', 'megabytes, or "plan" for the plan\'s'],
    ['--bandwidth-quota <mb>', 'megabytes a month, or "plan" for the plan\'s'],
  ],
  examples: [
    'berth accounts update alice --plan business',
    'berth accounts update alice --disk-quota plan',
  ],
  async order({ panel, args: [name], options }) {
    const { disk_quota_mb: disk, bandwidth_quota_mb: bandwidth } = PLAN_LIMITS
    const body = givenSome(
      {
        ...options.texts('email', 'plan'),
        disk_quota_mb: options.numberOr('plan', 'diskQuota', disk),
        bandwidth_quota_mb: options.numberOr('plan', 'bandwidthQuota', bandwidth),
      },
      '--email, --plan, --disk-quota, --bandwidth-quota',
    )
    const { id } = await findAccount(panel, name)
    return { to: api`PATCH /api/accounts/${id}`, body }
  },
}
