import type { z } from 'zod'
import { TOKEN_SCOPES } from '#handlers/domain/access/api-token.ts'
import type { tokenSchema } from '#handlers/panel/users/token-routes.ts'
import { CliError } from '../../cli-error.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'

/** A day is meant until its end. */
const expiryOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text} 23:59:59`
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text
  throw new CliError(`--expires ${text} is no date. Write it as YYYY-MM-DD, in UTC.`, 2)
}

const create: CommandSpec = {
  summary: 'make an API token, which is printed once',
  note: 'It belongs to whom makes it, or to --account. On this host without a login only tokens of accounts can be made.',
  args: [['<name>', 'what it is for']],
  options: [
    [
      '--scope <scope>',
      'what it may: read, write (all that changes something), cache (purge and warm); repeatable',
      { choices: TOKEN_SCOPES, repeatable: true },
    ],
    ['--expires <date>', 'last day, YYYY-MM-DD in UTC (default: never)'],
    ['--account <account>', 'whom it shall belong to'],
  ],
  examples: [
    'berth tokens create deploy --scope write --expires 2027-01-31',
    'berth tokens create purge --scope cache --account alice',
  ],
  async order({ panel, args: [name], options }) {
    const scopes = options.list('scope')
    if (scopes === undefined)
      throw new CliError(`Say what it may: --scope ${TOKEN_SCOPES.join(', --scope ')}.`, 2)
    const expires = expiryOf(options.text('expires'))
    const account = options.text('account')
    const owner = account === undefined ? undefined : (await findAccount(panel, account)).id
    return {
      to: api`POST /api/tokens`,
      body: given({ name, scopes, expires_at: expires, account_id: owner }),
      done: (data) => console.log(known<{ token: string }>(data, 'token').token),
    }
  },
}

/** `berth tokens …`. */
export const tokens: ResourceSpec = {
  name: 'tokens',
  alias: 'token',
  summary: 'API tokens for automation',
  commands: {
    list: listCommand<z.output<typeof tokenSchema>>({
      summary: 'list the API tokens',
      examples: ['berth tokens list --sort last_used_at'],
      path: '/api/tokens',
      sortable: ['id', 'name', 'expires_at', 'last_used_at', 'created_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['NAME', 'name'],
        ['OWNER', 'owner'],
        ['SCOPES', 'scopes'],
        ['EXPIRES', 'expires_at', null, (row) => row.expires_at ?? 'never'],
        ['LAST USED', 'last_used_at', null, (row) => row.last_used_at ?? 'never'],
      ],
      empty: 'There are no API tokens.',
    }),
    create,
    delete: {
      summary: 'revoke an API token',
      args: [['<id>', 'its number']],
      confirms: 'number',
      examples: ['berth tokens delete 7'],
      order: ({ args: [id = ''] }) => ({
        to: api`DELETE /api/tokens/${id}`,
        confirm: [`Revoking token ${id}`, id],
        done: `Token ${id} was revoked.`,
      }),
    },
  },
}
