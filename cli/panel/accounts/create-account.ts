import { PLAN_LIMITS } from '#handlers/domain/accounts/plan-limits.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { api, type PanelClient } from '../frame/panel-client.ts'
import { findReseller } from './resellers.ts'

const resellerNumber = async (
  panel: PanelClient,
  name: string | undefined,
): Promise<number | undefined> =>
  name === undefined ? undefined : (await findReseller(panel, name)).id

/** `berth accounts create`. */
export const createAccount: CommandSpec = {
  summary: 'create an account with its user, home, primary domain and virtual host',
  note: 'The password is asked for, unless --password-stdin or --generate-password is given. A generated one is printed once.',
  args: [['<username>', '3 to 16 letters and digits']],
  options: [
    ['--domain <domain>', 'the primary domain', { required: true }],
    ['--email <address>', 'of the owner', { required: true }],
    ['--plan <plan>', 'its quotas and limits; see berth plans list', { preset: 'free' }],
    ['--disk-quota <mb>', "megabytes; default: the plan's"],
    ['--bandwidth-quota <mb>', "megabytes a month; default: the plan's"],
    ['--host <host>', 'the machine that it shall be on; for administrators, see berth hosts list'],
    ['--reseller <reseller>', 'whose account it shall be; for administrators'],
  ],
  password: 'password',
  job: true,
  examples: [
    'berth accounts create alice --domain alice.example --email alice@alice.example --plan pro',
    'berth accounts create bob --domain bob.example --email bob@bob.example --generate-password',
  ],
  order: async ({ panel, args: [username = ''], options }) => ({
    to: api`POST /api/accounts`,
    body: given({
      username,
      reseller_id: await resellerNumber(panel, options.text('reseller')),
      ...options.texts('domain', 'email', 'plan', 'host'),
      disk_quota_mb: options.number('diskQuota', PLAN_LIMITS.disk_quota_mb),
      bandwidth_quota_mb: options.number('bandwidthQuota', PLAN_LIMITS.bandwidth_quota_mb),
    }),
    done: `Account ${username.toLowerCase()} was created.`,
  }),
}
