import { z } from 'zod'
import { TOKEN_SCOPES } from '#handlers/domain/access/api-token.ts'
import { CliError } from '../../cli-error.ts'
import { confirmByName } from '../../terminal/confirm.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-spec.ts'
import { listCommand } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { apiPath } from '../frame/panel-client.ts'

const rowSchema = z.object({
  id: z.number(),
  name: z.string(),
  owner: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
})

/** A day is meant until its end. */
const expiryOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text} 23:59:59`
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text
  throw new CliError(`--expires ${text} is no date. Write it as YYYY-MM-DD, in UTC.`, 2)
}

const create: CommandSpec = {
  name: 'create',
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
  async run({ panel, args: [name], options, print }) {
    const scopes = options.list('scope')
    if (scopes === undefined)
      throw new CliError(`Say what it may: --scope ${TOKEN_SCOPES.join(', --scope ')}.`, 2)
    const expires = expiryOf(options.text('expires'))
    const account = options.text('account')
    const owner = account === undefined ? undefined : (await findAccount(panel, account)).id
    const body = given({ name, scopes, expires_at: expires, account_id: owner })
    const data = await panel.call('POST', '/api/tokens', { body })
    print(data, () => console.log(z.object({ token: z.string() }).parse(data).token))
  },
}

/** `berth tokens …`. */
export const tokens: ResourceSpec = {
  name: 'tokens',
  alias: 'token',
  summary: 'API tokens for automation',
  commands: [
    listCommand({
      summary: 'list the API tokens',
      examples: ['berth tokens list --sort last_used_at'],
      path: () => '/api/tokens',
      sortable: ['id', 'name', 'expires_at', 'last_used_at', 'created_at'],
      row: rowSchema,
      columns: [
        { title: 'ID', value: ({ id }) => id, right: true },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'OWNER', value: ({ owner }) => owner },
        { title: 'SCOPES', value: ({ scopes }) => scopes.join(' ') },
        { title: 'EXPIRES', value: (row) => row.expires_at ?? 'never' },
        { title: 'LAST USED', value: (row) => row.last_used_at ?? 'never' },
      ],
      empty: 'There are no API tokens.',
    }),
    create,
    {
      name: 'delete',
      summary: 'revoke an API token',
      args: [['<id>', 'its number']],
      options: [['--yes', 'do not ask to type the number']],
      examples: ['berth tokens delete 7'],
      async run({ panel, args: [id = ''], options, print }) {
        await confirmByName(`Revoking token ${id}`, id, options.isOn('yes'))
        const data = await panel.call('DELETE', apiPath`/api/tokens/${id}`)
        print(data, () => console.log(`Token ${id} was revoked.`))
      },
    },
  ],
}
