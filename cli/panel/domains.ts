import { z } from 'zod'
import { confirmByName } from '../terminal/confirm.ts'
import { given, givenSome, type CommandOptions } from './frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from './frame/command-spec.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount, findDomain } from './frame/lookup.ts'
import { apiPath } from './frame/panel-client.ts'
import { siteCache } from './site-cache.ts'
import { showRecord } from './frame/show-record.ts'

const rowSchema = z.object({
  id: z.number(),
  domain_name: z.string(),
  domain_type: z.string(),
  username: z.string(),
  document_root: z.string(),
  ssl_status: z.string(),
  ssl_expires_at: z.string().nullable(),
  cache_enabled: z.boolean(),
})

const DOMAIN = ['<domain>', 'name or number'] as const
const TYPES = ['addon', 'subdomain', 'alias', 'primary'] as const
const SETTINGS: readonly OptionSpec[] = [
  ['--php-version <version>', 'such as 8.3, or "account" for the account\'s'],
  ['--cache', 'keep pages in the page cache'],
  ['--no-cache', 'keep none'],
  ['--cache-ttl <seconds>', 'how long pages are kept, or "server" for the server\'s'],
  [
    '--cache-exclude <path>',
    'a path or prefix* that is never cached; repeatable',
    { repeatable: true },
  ],
]

const settingsOf = (options: CommandOptions): Record<string, unknown> => ({
  php_version: options.text('phpVersion') === 'account' ? null : options.text('phpVersion'),
  cache_enabled: options.flag('cache'),
  cache_ttl: options.text('cacheTtl') === 'server' ? null : options.number('cacheTtl'),
  cache_exclude: options.list('cacheExclude'),
})

/** A document root as the API wants it: from the root on. */
const rootIn = (home: string, root: string): string =>
  root.startsWith('/') ? root : `${home}/${root}`

const add: CommandSpec = {
  name: 'add',
  summary: 'add a domain to an account',
  args: [['<domain>', 'e.g. shop.example.com']],
  options: [
    ['--account <account>', 'username or number', { required: true }],
    ['--type <type>', 'what it is', { choices: TYPES, preset: 'addon' }],
    [
      '--root <directory>',
      "its files, in the home; default: a folder with the domain's name, public_html for an alias",
    ],
    ...SETTINGS,
  ],
  examples: [
    'berth domains add shop.example --account alice',
    'berth domains add blog.alice.example --account alice --type subdomain --root blog --no-cache',
  ],
  async run({ panel, args: [name = ''], options, print }) {
    const settings = given(settingsOf(options))
    const account = await findAccount(panel, options.text('account') ?? '')
    const type = options.text('type')
    const root = options.text('root') ?? (type === 'alias' ? 'public_html' : name.toLowerCase())
    const data = await panel.call('POST', '/api/domains', {
      body: {
        account_id: account.id,
        domain_name: name,
        domain_type: type,
        document_root: rootIn(String(account['home'] ?? ''), root),
        ...settings,
      },
    })
    print(data, () => console.log(`Domain ${name} was added to ${account.username}.`))
  },
}

const update: CommandSpec = {
  name: 'update',
  summary: 'change the settings of a domain',
  args: [DOMAIN],
  options: [
    ['--root <directory>', 'its files, in the home; made when missing'],
    ['--redirect-https', 'lead http to https'],
    ['--no-redirect-https', 'serve http as well'],
    ['--hsts', 'tell browsers to come over https only, for half a year'],
    ['--no-hsts', 'do not'],
    ...SETTINGS,
  ],
  examples: [
    'berth domains update shop.example --php-version 8.3 --redirect-https',
    "berth domains update shop.example --cache-exclude '/cart/*' --cache-exclude /account",
  ],
  async run({ panel, args: [name = ''], options, print }) {
    const root = options.text('root')
    const body = givenSome(
      {
        ...settingsOf(options),
        redirect_https: options.flag('redirectHttps'),
        hsts: options.flag('hsts'),
        document_root: root,
      },
      '--root, --php-version, --cache, --cache-ttl, --cache-exclude, --redirect-https, --hsts',
    )
    const { id, account_id: accountId } = await findDomain(panel, name)
    if (root !== undefined && !root.startsWith('/')) {
      const account = await findAccount(panel, String(accountId))
      body['document_root'] = rootIn(String(account['home'] ?? ''), root)
    }
    const data = await panel.call('PATCH', apiPath`/api/domains/${id}`, { body })
    print(data, () => showRecord(data))
  },
}

const remove: CommandSpec = {
  name: 'delete',
  summary: 'remove a domain; its files stay',
  args: [DOMAIN],
  options: [['--yes', 'do not ask to type the name']],
  examples: ['berth domains delete shop.example'],
  async run({ panel, args: [name = ''], options, print }) {
    const { id, domain_name: domain } = await findDomain(panel, name)
    await confirmByName(`Removing ${domain} with its certificate`, domain, options.isOn('yes'))
    const data = await panel.call('DELETE', apiPath`/api/domains/${id}`)
    print(data, () => console.log(`Domain ${domain} was removed.`))
  },
}

/** `berth domains …`. */
export const domains: ResourceSpec = {
  name: 'domains',
  alias: 'domain',
  summary: 'domains of accounts',
  commands: [
    listCommand({
      summary: 'list the domains',
      options: [['--account <account>', 'only those of this account']],
      examples: ['berth domains list', 'berth domains list --account alice --json'],
      async path({ panel, options }) {
        const name = options.text('account')
        if (name === undefined) return '/api/domains'
        return apiPath`/api/domains/account/${(await findAccount(panel, name)).id}`
      },
      sortable: [
        'id',
        'domain_name',
        'domain_type',
        'username',
        'ssl_status',
        'document_root',
        'created_at',
      ],
      row: rowSchema,
      columns: [
        { title: 'ID', value: ({ id }) => id, right: true },
        { title: 'DOMAIN', value: (row) => row.domain_name },
        { title: 'TYPE', value: (row) => row.domain_type },
        { title: 'ACCOUNT', value: ({ username }) => username },
        { title: 'CERTIFICATE', value: (row) => row.ssl_expires_at?.slice(0, 10) ?? 'none' },
        { title: 'CACHE', value: (row) => row.cache_enabled },
        { title: 'DOCUMENT ROOT', value: (row) => row.document_root },
      ],
      empty: 'There are no domains.',
    }),
    {
      name: 'show',
      summary: 'show a domain',
      args: [DOMAIN],
      examples: ['berth domains show shop.example'],
      async run({ panel, args: [name = ''], print }) {
        const data = await findDomain(panel, name)
        print(data, () => showRecord(data))
      },
    },
    add,
    update,
    ...siteCache,
    remove,
  ],
}
