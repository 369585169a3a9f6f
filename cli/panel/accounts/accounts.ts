import { z } from 'zod'
import { confirmByName } from '../../terminal/confirm.ts'
import { newPassword } from '../../terminal/password.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-spec.ts'
import { createAccount } from './create-account.ts'
import { NO_WAIT, runAsJob } from '../frame/follow-job.ts'
import { listCommand } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { apiPath } from '../frame/panel-client.ts'
import { PASSWORD_OPTIONS, readPasswordOptions, showPassword } from '../access/password-options.ts'
import { showRecord } from '../frame/show-record.ts'
import { updateAccount } from './update-account.ts'

const rowSchema = z.object({
  id: z.number(),
  username: z.string(),
  primary_domain: z.string(),
  plan: z.string(),
  status: z.string(),
  disk_used_mb: z.number(),
  disk_quota_mb: z.number(),
  bandwidth_used_mb: z.number(),
  bandwidth_quota_mb: z.number(),
})

const ACCOUNT = ['<account>', 'username or number'] as const
const remove: CommandSpec = {
  name: 'delete',
  summary: 'delete an account with its home, domains, databases and certificates',
  args: [ACCOUNT],
  options: [
    ['--backup', 'make a last backup before, which stays'],
    ['--yes', 'do not ask to type the name'],
    NO_WAIT,
  ],
  examples: ['berth accounts delete alice --backup', 'berth accounts delete alice --yes --json'],
  async run({ panel, args: [name = ''], options, print }) {
    const { id, username } = await findAccount(panel, name)
    await confirmByName(
      `Deleting account ${username} with all its data`,
      username,
      options.isOn('yes'),
    )
    const wait = options.flag('wait') !== false
    const query = options.isOn('backup') ? { backup: 'true' } : {}
    const data = await runAsJob(panel, 'DELETE', apiPath`/api/accounts/${id}`, { query }, wait)
    print(data, () => {
      if (wait) console.log(`Account ${username} was deleted.`)
      else showRecord(data)
    })
  },
}

/** A command about one account that sends no more than a body. */
const act = (
  spec: Pick<CommandSpec, 'name' | 'summary' | 'examples'> & Pick<CommandSpec, 'options'>,
  method: 'POST' | 'DELETE',
  action: string,
  done: string,
  bodyOf?: (call: Parameters<CommandSpec['run']>[0]) => unknown,
): CommandSpec => ({
  ...spec,
  args: [ACCOUNT],
  async run(call) {
    const { panel, args, print } = call
    const { id, username } = await findAccount(panel, args[0] ?? '')
    const init = bodyOf === undefined ? {} : { body: bodyOf(call) }
    const data = await panel.call(method, `${apiPath`/api/accounts/${id}`}/${action}`, init)
    print(data, () => console.log(`Account ${username} ${done}.`))
  },
})

const password: CommandSpec = {
  name: 'password',
  summary: 'set a new password of an account and end its sessions and API tokens',
  note: 'An account that changes its own password uses berth password.',
  args: [ACCOUNT],
  options: PASSWORD_OPTIONS,
  examples: ['berth accounts password alice', 'berth accounts password alice --generate-password'],
  async run({ panel, args: [name = ''], options, print }) {
    const { id, username } = await findAccount(panel, name)
    const secret = await newPassword(readPasswordOptions(options))
    const body = { password: secret.password }
    const data = await panel.call('PATCH', apiPath`/api/accounts/${id}`, { body })
    print(showPassword.data(data, secret), () => {
      console.log(`Account ${username} has a new password.`)
      showPassword.line(secret)
    })
  },
}

/** `berth accounts …`. */
export const accounts: ResourceSpec = {
  name: 'accounts',
  alias: 'account',
  summary: 'hosting accounts',
  commands: [
    listCommand({
      summary: 'list the accounts',
      examples: [
        'berth accounts list',
        'berth accounts list --sort disk_used_mb --order desc --per-page 10 --page 1',
      ],
      path: () => '/api/accounts',
      sortable: [
        'id',
        'username',
        'primary_domain',
        'email',
        'plan',
        'status',
        'disk_quota_mb',
        'disk_used_mb',
        'created_at',
      ],
      row: rowSchema,
      columns: [
        { title: 'ID', value: ({ id }) => id, right: true },
        { title: 'USERNAME', value: ({ username }) => username },
        { title: 'DOMAIN', value: ({ primary_domain: domain }) => domain },
        { title: 'PLAN', value: ({ plan }) => plan },
        { title: 'STATUS', value: ({ status }) => status, state: true },
        {
          title: 'DISK MB',
          value: (row) => `${row.disk_used_mb}/${row.disk_quota_mb}`,
          right: true,
        },
        {
          title: 'TRAFFIC MB',
          value: (row) => `${row.bandwidth_used_mb}/${row.bandwidth_quota_mb}`,
          right: true,
        },
      ],
      empty: 'There are no accounts. Create one: berth accounts create',
    }),
    {
      name: 'show',
      summary: 'show an account',
      args: [ACCOUNT],
      examples: ['berth accounts show alice'],
      async run({ panel, args: [name = ''], print }) {
        const data = await findAccount(panel, name)
        print(data, () => showRecord(data))
      },
    },
    {
      name: 'limits',
      summary: 'show what the plan of an account allows, and what it has of it',
      args: [ACCOUNT],
      examples: ['berth accounts limits alice'],
      async run({ panel, args: [name = ''], print }) {
        const { id } = await findAccount(panel, name)
        const data = await panel.call('GET', apiPath`/api/accounts/${id}/limits`)
        print(data, () => showRecord(data))
      },
    },
    createAccount,
    updateAccount,
    password,
    act(
      {
        name: 'suspend',
        summary: 'close an account: sites, login, databases, cron',
        options: [['--reason <text>', 'shown in the panel']],
        examples: ['berth accounts suspend alice --reason "invoice 17 is unpaid"'],
      },
      'POST',
      'suspend',
      'is suspended',
      ({ options }) => ({ reason: options.text('reason') ?? null }),
    ),
    act(
      {
        name: 'unsuspend',
        summary: 'lift a suspension',
        examples: ['berth accounts unsuspend alice'],
      },
      'POST',
      'unsuspend',
      'is active again',
    ),
    act(
      {
        name: 'remove-second-factor',
        summary: "take an account's second factor off, for a lost authenticator",
        examples: ['berth accounts remove-second-factor alice'],
      },
      'DELETE',
      'totp',
      'has no second factor any more',
    ),
    remove,
  ],
}
