import type { z } from 'zod'
import type { movedSchema } from '#handlers/panel/hosts/routes.ts'
import { printable } from '../../terminal/printable.ts'
import { accountFigures } from '../site-figures.ts'
import type { Order, OrderSpec, PanelCall, ResourceSpec } from '../frame/command-types.ts'
import { accountsImportCommand } from '../backups/import.ts'
import { createAccount } from './create-account.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT, findAccount, type AccountRecord } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'
import { showRecord } from '../frame/show-record.ts'
import { findReseller } from './resellers.ts'
import { updateAccount } from './update-account.ts'

type Moved = z.output<typeof movedSchema>

/** A command about one account, which `orderOf` is given as the API knows it. */
const about = (
  facts: Omit<OrderSpec, 'args' | 'order'>,
  orderOf: (account: AccountRecord, options: PanelCall['options']) => Order,
): OrderSpec => ({
  ...facts,
  args: [ACCOUNT],
  order: async ({ panel, args: [name], options }) =>
    orderOf(await findAccount(panel, name), options),
})

/** `berth accounts …`. */
export const accounts: ResourceSpec = {
  name: 'accounts',
  alias: 'account',
  summary: 'hosting accounts',
  commands: {
    list: listCommand<AccountRecord>({
      summary: 'list the accounts',
      examples: [
        'berth accounts list',
        'berth accounts list --sort disk_used_mb --order desc --per-page 10 --page 1',
      ],
      path: '/api/accounts',
      options: [['--host <host>', 'only those on this machine; see berth hosts list']],
      query: ({ options }) => options.texts('host'),
      sortable: [
        'id',
        'username',
        'primary_domain',
        'email',
        'plan',
        'status',
        'reseller_id',
        'disk_quota_mb',
        'disk_used_mb',
        'created_at',
      ],
      columns: [
        ['ID', 'id', 'right'],
        ['USERNAME', 'username'],
        ['DOMAIN', 'primary_domain'],
        ['PLAN', 'plan'],
        ['STATUS', 'status', 'state'],
        ['DISK MB', 'disk_used_mb', 'right', (row) => `${row.disk_used_mb}/${row.disk_quota_mb}`],
        [
          'TRAFFIC MB',
          'bandwidth_used_mb',
          'right',
          (row) => `${row.bandwidth_used_mb}/${row.bandwidth_quota_mb}`,
        ],
      ],
      empty: 'There are no accounts. Create one: berth accounts create',
    }),
    show: {
      summary: 'show an account',
      args: [ACCOUNT],
      examples: ['berth accounts show alice'],
      async run({ panel, args: [name], print }) {
        const data = await findAccount(panel, name)
        print(data, () => showRecord(data))
      },
    },
    limits: about(
      {
        summary: 'show what the plan of an account allows, and what it has of it',
        examples: ['berth accounts limits alice'],
      },
      ({ id }) => ({ to: api`GET /api/accounts/${id}/limits` }),
    ),
    use: about(
      {
        summary: 'show what the programs of an account used within a day',
        examples: ['berth accounts use alice', 'berth accounts use alice --json'],
      },
      ({ id }) => ({ to: api`GET /api/accounts/${id}/use` }),
    ),
    create: createAccount,
    import: accountsImportCommand,
    update: updateAccount,
    move: {
      summary: 'give an account to another reseller, or to none',
      note: "Within the limits and plans of who gets it. The account's sessions and API tokens end.",
      args: [ACCOUNT, ['<reseller>', 'username or number; "none": no reseller']],
      examples: ['berth accounts move alice carol', 'berth accounts move alice none'],
      async order({ panel, args: [name, to = ''] }) {
        const { id, username } = await findAccount(panel, name)
        const reseller = to === 'none' ? null : await findReseller(panel, to)
        return {
          to: api`POST /api/accounts/${id}/move`,
          body: { reseller_id: reseller?.id ?? null },
          done: `Account ${username} is ${reseller === null ? "no reseller's" : `${reseller.username}'s`} now.`,
        }
      },
    },
    password: about(
      {
        summary: 'set a new password of an account and end its sessions and API tokens',
        note: 'An account that changes its own password uses berth password.',
        password: 'password',
        examples: [
          'berth accounts password alice',
          'berth accounts password alice --generate-password',
        ],
      },
      ({ id, username }) => ({
        to: api`PATCH /api/accounts/${id}`,
        done: `Account ${username} has a new password.`,
      }),
    ),
    figures: accountFigures,
    suspend: about(
      {
        summary: 'close an account: sites, login, databases, cron',
        options: [['--reason <text>', 'shown in the panel']],
        examples: ['berth accounts suspend alice --reason "invoice 17 is unpaid"'],
      },
      ({ id, username }, options) => ({
        to: api`POST /api/accounts/${id}/suspend`,
        body: { reason: options.text('reason') ?? null },
        done: `Account ${username} is suspended.`,
      }),
    ),
    unsuspend: about(
      {
        summary: 'lift a suspension',
        examples: ['berth accounts unsuspend alice'],
      },
      ({ id, username }) => ({
        to: api`POST /api/accounts/${id}/unsuspend`,
        done: `Account ${username} is active again.`,
      }),
    ),
    relocate: {
      summary: 'move an account to another machine; its sites are down for less than a minute',
      note: 'The former machine leads visitors there, and keeps a copy for seven days; point its domains at the new one meanwhile.',
      args: [ACCOUNT, ['<host>', 'name of the machine; see berth hosts list']],
      job: true,
      examples: ['berth accounts relocate alice two'],
      order: async ({ panel, args: [name, host = ''] }) => {
        const { id } = await findAccount(panel, name)
        return {
          to: api`POST /api/accounts/${id}/relocate`,
          body: { host },
          done: (data) => {
            const told = known<Moved>(data, 'username', 'to', 'down_secs', 'skipped')
            const { username, to, down_secs, skipped, skipped_paths } = told
            console.log(
              `Account ${printable(username)} is on ${printable(to)}; it was down for ${down_secs} seconds.`,
            )
            if (skipped === 0) return
            console.log(`${skipped} things in its home did not move, among them:`)
            for (const path of skipped_paths) console.log(`  ${printable(path)}`)
          },
        }
      },
    },
    'remove-second-factor': about(
      {
        summary: "take an account's second factor off, for a lost authenticator",
        examples: ['berth accounts remove-second-factor alice'],
      },
      ({ id, username }) => ({
        to: api`DELETE /api/accounts/${id}/totp`,
        done: `Account ${username} has no second factor any more.`,
      }),
    ),
    delete: about(
      {
        summary: 'delete an account with its home, domains, databases and certificates',
        options: [['--backup', 'make a last backup before, which stays']],
        confirms: 'name',
        job: true,
        examples: [
          'berth accounts delete alice --backup',
          'berth accounts delete alice --yes --json',
        ],
      },
      ({ id, username }, options) => ({
        to: api`DELETE /api/accounts/${id}`,
        query: options.isOn('backup') ? { backup: 'true' } : {},
        confirm: [`Deleting account ${username} with all its data`, username],
        done: `Account ${username} was deleted.`,
      }),
    ),
  },
}
