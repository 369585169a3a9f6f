import { newPassword } from '../../terminal/password.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, OptionSpec } from '../frame/command-spec.ts'
import { NO_WAIT, runAsJob } from '../frame/follow-job.ts'
import { PASSWORD_OPTIONS, readPasswordOptions, showPassword } from '../access/password-options.ts'
import { showRecord } from '../frame/show-record.ts'

const QUOTAS: readonly OptionSpec[] = [
  ['--disk-quota <mb>', "megabytes; default: the plan's"],
  ['--bandwidth-quota <mb>', "megabytes a month; default: the plan's"],
]

/** `berth accounts create`. */
export const createAccount: CommandSpec = {
  name: 'create',
  summary: 'create an account with its user, home, primary domain and virtual host',
  note: 'The password is asked for, unless --password-stdin or --generate-password is given. A generated one is printed once.',
  args: [['<username>', '3 to 16 letters and digits']],
  options: [
    ['--domain <domain>', 'the primary domain', { required: true }],
    ['--email <address>', 'of the owner', { required: true }],
    ['--plan <plan>', 'its quotas and limits; see berth plans list', { preset: 'free' }],
    ...QUOTAS,
    ...PASSWORD_OPTIONS,
    NO_WAIT,
  ],
  examples: [
    'berth accounts create alice --domain alice.example --email alice@alice.example --plan pro',
    'berth accounts create bob --domain bob.example --email bob@bob.example --generate-password',
  ],
  async run({ panel, args: [username = ''], options, print }) {
    const quotas = given({
      disk_quota_mb: options.number('diskQuota', 1),
      bandwidth_quota_mb: options.number('bandwidthQuota', 1),
    })
    const secret = await newPassword(readPasswordOptions(options))
    const body = {
      username,
      domain: options.text('domain'),
      email: options.text('email'),
      plan: options.text('plan'),
      password: secret.password,
      ...quotas,
    }
    const wait = options.flag('wait') !== false
    const data = await runAsJob(panel, 'POST', '/api/accounts', { body }, wait)
    print(showPassword.data(data, secret), () => {
      if (wait) console.log(`Account ${username.toLowerCase()} was created.`)
      else showRecord(data)
      showPassword.line(secret)
    })
  },
}
