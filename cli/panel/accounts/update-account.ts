import { givenSome } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-spec.ts'
import { findAccount } from '../frame/lookup.ts'
import { apiPath } from '../frame/panel-client.ts'
import { showRecord } from '../frame/show-record.ts'

/** `plan` goes back to the plan's quota. */
const quotaChange = (text: string | undefined, number: () => number | undefined) =>
  text === 'plan' ? null : number()

/** `berth accounts update`. */
export const updateAccount: CommandSpec = {
  name: 'update',
  summary: 'change the email, plan or quotas of an account',
  args: [['<account>', 'username or number']],
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
  async run({ panel, args: [name = ''], options, print }) {
    const body = givenSome(
      {
        email: options.text('email'),
        plan: options.text('plan'),
        disk_quota_mb: quotaChange(options.text('diskQuota'), () => options.number('diskQuota', 1)),
        bandwidth_quota_mb: quotaChange(options.text('bandwidthQuota'), () =>
          options.number('bandwidthQuota', 1),
        ),
      },
      '--email, --plan, --disk-quota, --bandwidth-quota',
    )
    const { id } = await findAccount(panel, name)
    const data = await panel.call('PATCH', apiPath`/api/accounts/${id}`, { body })
    print(data, () => showRecord(data))
  },
}
