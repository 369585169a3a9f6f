import type { z } from 'zod'
import type { domainSchema } from '#handlers/panel/domains/schema.ts'
import { given, givenSome, type CommandOptions } from './frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount, findDomain, type AccountRecord } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'
import { siteCache } from './site-cache.ts'
import { figures } from './site-figures.ts'
import { showRecord } from './frame/show-record.ts'

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
  cache_ttl: options.numberOr('server', 'cacheTtl', [0]),
  cache_exclude: options.list('cacheExclude'),
})

/** A document root as the API wants it: from the root on. */
const rootIn = (account: AccountRecord, root: string): string =>
  root.startsWith('/') ? root : `${account.home ?? ''}/${root}`

const add: CommandSpec = {
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
  async order({ panel, args: [name = ''], options }) {
    const settings = given(settingsOf(options))
    const account = await findAccount(panel, options.text('account'))
    const type = options.text('type')
    const root =
      options.text('root') ??
      (type === 'alias' ? 'public_html' : name.toLowerCase().replace(/^\*/, 'wildcard'))
    return {
      to: api`POST /api/domains`,
      body: {
        account_id: account.id,
        domain_name: name,
        domain_type: type,
        document_root: rootIn(account, root),
        ...settings,
      },
      done: `Domain ${name} was added to ${account.username}.`,
    }
  },
}

const update: CommandSpec = {
  summary: 'change the settings of a domain',
  args: [DOMAIN],
  options: [
    ['--root <directory>', 'its files, in the home; made when missing'],
    ['--redirect-https', 'lead http to https'],
    ['--no-redirect-https', 'serve http as well'],
    ['--hsts', 'tell browsers to come over https only, for half a year'],
    ['--no-hsts', 'do not'],
    ['--default-host', 'answer at names that no site has; for administrators'],
    ['--no-default-host', 'leave them unanswered'],
    ...SETTINGS,
  ],
  examples: [
    'berth domains update shop.example --php-version 8.3 --redirect-https',
    "berth domains update shop.example --cache-exclude '/cart/*' --cache-exclude /account",
  ],
  async order({ panel, args: [name], options }) {
    const root = options.text('root')
    const body = givenSome(
      {
        ...settingsOf(options),
        redirect_https: options.flag('redirectHttps'),
        hsts: options.flag('hsts'),
        default_host: options.flag('defaultHost'),
        document_root: root,
      },
      '--root, --php-version, --cache, --cache-ttl, --cache-exclude, --redirect-https, --hsts, --default-host',
    )
    const { id, account_id: accountId } = await findDomain(panel, name)
    if (root !== undefined && !root.startsWith('/'))
      body['document_root'] = rootIn(await findAccount(panel, String(accountId)), root)
    return { to: api`PATCH /api/domains/${id}`, body }
  },
}

const remove: CommandSpec = {
  summary: 'remove a domain; its files stay',
  args: [DOMAIN],
  confirms: 'name',
  examples: ['berth domains delete shop.example'],
  async order({ panel, args: [name] }) {
    const { id, domain_name: domain } = await findDomain(panel, name)
    return {
      to: api`DELETE /api/domains/${id}`,
      confirm: [`Removing ${domain} with its certificate`, domain],
      done: `Domain ${domain} was removed.`,
    }
  },
}

/** `berth domains …`. */
export const domains: ResourceSpec = {
  name: 'domains',
  alias: 'domain',
  summary: 'domains of accounts',
  commands: {
    list: listCommand<z.output<typeof domainSchema>>({
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
      columns: [
        ['ID', 'id', 'right'],
        ['DOMAIN', 'domain_name'],
        ['TYPE', 'domain_type'],
        ['ACCOUNT', 'username'],
        [
          'CERTIFICATE',
          'ssl_expires_at',
          null,
          (row) => row.ssl_expires_at?.slice(0, 10) ?? 'none',
        ],
        ['CACHE', 'cache_enabled'],
        ['DOCUMENT ROOT', 'document_root'],
      ],
      empty: 'There are no domains.',
    }),
    show: {
      summary: 'show a domain',
      args: [DOMAIN],
      examples: ['berth domains show shop.example'],
      async run({ panel, args: [name], print }) {
        const data = await findDomain(panel, name)
        print(data, () => showRecord(data))
      },
    },
    add,
    update,
    figures,
    ...siteCache,
    delete: remove,
  },
}
