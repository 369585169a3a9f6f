import { Option } from 'commander'
import type { z } from 'zod'
import { RESELLER_LIMITS } from '#handlers/domain/accounts/reseller-limits.ts'
import type { resellerSchema } from '#handlers/panel/resellers/schema.ts'
import { CliError } from '../../cli-error.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import { given, givenSome } from '../frame/command-options.ts'
import type { OptionSpec, Order, OrderSpec, ResourceSpec } from '../frame/command-types.ts'
import { knownRows } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { api, type PanelClient } from '../frame/panel-client.ts'

type Reseller = z.output<typeof resellerSchema>
type Limit = keyof typeof RESELLER_LIMITS

const RESELLER = ['<reseller>', 'username or number'] as const

/** Of each limit its option and what it bounds. */
const LIMITS: Readonly<Record<Limit, readonly [flags: string, text: string]>> = {
  accounts_limit: ['--accounts <count>', 'accounts, or "none" for no limit'],
  domains_limit: ['--domains <count>', 'domains of all his accounts together'],
  databases_limit: ['--databases <count>', 'databases of all his accounts together'],
  disk_limit_mb: ['--disk <mb>', 'megabytes of disk that he may promise to accounts'],
  bandwidth_limit_mb: ['--bandwidth <mb>', 'megabytes a month that he may promise to accounts'],
}
const FIELDS = Object.keys(LIMITS) as Limit[]
const OPTIONS: OptionSpec[] = [
  ['--plan <plan>', 'that he may give; repeatable', { repeatable: true }],
  ...FIELDS.map((field): OptionSpec => LIMITS[field]),
]

const wanted = (options: CommandOptions) => ({
  plans: options.list('plan'),
  ...Object.fromEntries(
    FIELDS.map((field) => {
      const name = new Option(LIMITS[field][0]).attributeName()
      return [field, options.numberOr('none', name, RESELLER_LIMITS[field])]
    }),
  ),
})

/** A reseller by username or number. */
export const findReseller = async (panel: PanelClient, name = ''): Promise<Reseller> => {
  const rows = knownRows<Reseller>(await panel.call('GET', '/api/resellers'), 'id', 'username')
  const found =
    rows.find(({ username }) => username === name) ?? rows.find(({ id }) => String(id) === name)
  if (found) return found
  throw new CliError(`There is no reseller "${name}". See: berth resellers list`)
}

/** A command about one reseller. */
const about = (
  facts: Omit<OrderSpec, 'order'>,
  orderOf: (
    reseller: Reseller,
    options: CommandOptions,
    panel: PanelClient,
  ) => Order | Promise<Order>,
): OrderSpec => ({
  args: [RESELLER],
  ...facts,
  order: async ({ panel, args: [name], options }) =>
    orderOf(await findReseller(panel, name), options, panel),
})

const share = ({ used, limit }: Reseller['accounts']): string =>
  limit === null ? String(used) : `${used}/${limit}`

/** `berth resellers …`. */
export const resellers: ResourceSpec = {
  name: 'resellers',
  alias: 'reseller',
  summary: 'resellers, who have accounts of their own within limits',
  commands: {
    list: listCommand<Reseller>({
      summary: 'list the resellers',
      examples: ['berth resellers list --sort accounts --order desc'],
      path: '/api/resellers',
      sortable: ['id', 'username', 'status', 'accounts', 'created_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['USERNAME', 'username'],
        ['STATUS', 'status', 'state'],
        ['ACCOUNTS', 'accounts', 'right', (row) => share(row.accounts)],
        ['DOMAINS', 'domains', 'right', (row) => share(row.domains)],
        ['DISK MB', 'disk_mb', 'right', (row) => share(row.disk_mb)],
        ['TRAFFIC MB', 'bandwidth_mb', 'right', (row) => share(row.bandwidth_mb)],
        ['PLANS', 'plans'],
      ],
      empty: 'There are no resellers. Create one: berth resellers create',
    }),
    show: about(
      { summary: 'show a reseller', examples: ['berth resellers show carol'] },
      ({ id }) => ({ to: api`GET /api/resellers/${id}` }),
    ),
    create: {
      summary: 'create a reseller',
      note: 'The password is asked for, unless --password-stdin or --generate-password is given. Limits that are not named do not bind; without a plan he cannot make accounts.',
      args: [['<username>', 'at least 3 characters']],
      options: OPTIONS,
      password: 'password',
      examples: [
        'berth resellers create carol --plan free --plan pro --accounts 20 --disk 100000',
        'berth resellers create carol --plan free --generate-password --json',
      ],
      order: ({ args: [username], options }) => ({
        to: api`POST /api/resellers`,
        body: given({ username, ...wanted(options) }),
        done: `Reseller ${username} was created.`,
      }),
    },
    update: about(
      {
        summary: 'change the limits and plans of a reseller',
        note: 'What his accounts have above a limit stays. --plan names all plans that he may give from then on.',
        options: OPTIONS,
        examples: [
          'berth resellers update carol --accounts 50',
          'berth resellers update carol --disk none',
        ],
      },
      ({ id }, options) => ({
        to: api`PATCH /api/resellers/${id}`,
        body: givenSome(
          wanted(options),
          ['--plan', ...FIELDS.map((field) => LIMITS[field][0].split(' ')[0])].join(', '),
        ),
      }),
    ),
    password: about(
      {
        summary: 'set a new password of a reseller and end his sessions and API tokens',
        password: 'password',
        examples: ['berth resellers password carol --generate-password'],
      },
      ({ id, username }) => ({
        to: api`PATCH /api/resellers/${id}`,
        done: `Reseller ${username} has a new password.`,
      }),
    ),
    suspend: about(
      {
        summary: 'refuse a reseller, with or without his accounts',
        options: [
          ['--reason <text>', 'shown in the panel'],
          ['--with-accounts', 'suspend his active accounts too, until he is unsuspended'],
        ],
        job: true,
        examples: ['berth resellers suspend carol --with-accounts --reason "invoice 17 is unpaid"'],
      },
      ({ id, username }, options) => ({
        to: api`POST /api/resellers/${id}/suspend`,
        body: {
          reason: options.text('reason') ?? null,
          with_accounts: options.isOn('withAccounts'),
        },
        done: `Reseller ${username} is suspended.`,
      }),
    ),
    unsuspend: about(
      {
        summary: 'lift the suspension of a reseller and of the accounts suspended with him',
        job: true,
        examples: ['berth resellers unsuspend carol'],
      },
      ({ id, username }) => ({
        to: api`POST /api/resellers/${id}/unsuspend`,
        done: `Reseller ${username} is active again.`,
      }),
    ),
    'remove-second-factor': about(
      {
        summary: 'take the second factor off, for a lost authenticator',
        examples: ['berth resellers remove-second-factor carol'],
      },
      ({ id, username }) => ({
        to: api`PATCH /api/resellers/${id}`,
        body: { second_factor: false },
        done: `Reseller ${username} has no second factor any more.`,
      }),
    ),
    delete: about(
      {
        summary: 'delete a reseller',
        note: 'One who has accounts is deleted only when --accounts-to says who gets them.',
        options: [['--accounts-to <reseller>', 'who gets his accounts; "none": no reseller']],
        confirms: 'name',
        examples: ['berth resellers delete carol --accounts-to none'],
      },
      async ({ id, username }, options, panel) => {
        const to = options.text('accountsTo')
        const target =
          to === undefined || to === 'none' ? to : String((await findReseller(panel, to)).id)
        return {
          to: api`DELETE /api/resellers/${id}`,
          query: target === undefined ? {} : { accounts_to: target },
          confirm: [`Deleting reseller ${username}`, username],
          done: `Reseller ${username} was deleted.`,
        }
      },
    ),
  },
}
