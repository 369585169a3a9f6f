import type { z } from 'zod'
import type {
  installedWordpressSchema,
  wordpressAdministratorSchema,
  wordpressSchema,
  wordpressSourceSchema,
} from '#handlers/panel/wordpress/schema.ts'
import { given } from '../frame/command-options.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { known } from '../frame/known.ts'
import { api, apiPath } from '../frame/panel-client.ts'
import { PATH, wordpressCare } from './wordpress-care.ts'
import { wordpressCopies } from './wordpress-copies.ts'
import { wordpressExtensions } from './wordpress-extensions.ts'

/** `berth wordpress …`. */
export const wordpress: ResourceSpec = {
  name: 'wordpress',
  summary: 'WordPress in the sites of accounts',
  commands: {
    sources: listCommand<z.output<typeof wordpressSourceSchema>>({
      summary: 'list the versions that sites can be installed from',
      examples: ['berth wordpress sources'],
      path: '/api/wordpress/sources',
      columns: [
        ['VERSION', 'version'],
        [
          ...(['LANGUAGES', 'locales', null] as const),
          ({ locales, localised }) => localised ?? ['en_US', ...locales].join(' '),
        ],
        ['FROM', 'source'],
      ],
      empty:
        'There is no WordPress to install from: apt-get install wordpress, or berth wordpress core add',
    }),
    list: listCommand<z.output<typeof wordpressSchema>>({
      summary: 'list the WordPress installations of an account',
      args: [ACCOUNT],
      options: [
        [
          '--outdated <yes>',
          'only those of which something is outdated, or nothing',
          { choices: ['true', 'false'] },
        ],
      ],
      examples: ['berth wordpress list alice', 'berth wordpress list alice --outdated true'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/wordpress/${(await findAccount(panel, name)).id}`,
      query: ({ options }) => options.texts('outdated'),
      sortable: ['domain', 'path', 'version'],
      columns: [
        ['SITE', 'url'],
        ['PATH', 'path'],
        ['VERSION', 'version'],
        ['NEWEST', 'newest'],
        ['PLUGINS', 'plugins', 'right', ({ plugins }) => String(plugins.length)],
        ['OUTDATED', 'outdated'],
        ['COPY OF', 'staging_of', null, ({ staging_of }) => staging_of ?? '-'],
      ],
      empty: 'No WordPress is in the sites of the account.',
    }),
    install: {
      summary: 'install WordPress into a site',
      note: 'The password of its administrator is asked for, unless --password-stdin or --generate-password is given. The folder must be empty but for the placeholder page.',
      args: [ACCOUNT, ['<domain>', 'a site of the account']],
      options: [
        ['--directory <folder>', 'below the document root (default: the document root itself)'],
        ['--title <text>', 'of the site', { required: true }],
        ['--admin <name>', 'administrator of the site', { required: true }],
        ['--email <address>', 'of the administrator', { required: true }],
        ['--locale <language>', 'e.g. de_DE, see berth wordpress sources (default: en_US)'],
        ['--wordpress-version <version>', 'default: the newest of the sources'],
        ['--database <name>', 'without prefix (default: a free one)'],
      ],
      password: 'admin_password',
      job: true,
      examples: [
        'berth wordpress install alice alice.example --title "Alice" --admin alice --email a@alice.example --generate-password',
      ],
      order: async ({ panel, args: [name, domain], options }) => ({
        to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}`,
        body: given<unknown>({
          domain,
          directory: options.text('directory'),
          title: options.text('title'),
          admin_user: options.text('admin'),
          admin_email: options.text('email'),
          locale: options.text('locale'),
          version: options.text('wordpressVersion'),
          db_name: options.text('database'),
        }),
        done(data) {
          const { url, user } = known<z.output<typeof installedWordpressSchema>>(
            data,
            'url',
            'user',
          )
          console.log(`WordPress is at ${url}, its administrator is ${user}.`)
        },
      }),
    },
    administrators: listCommand<z.output<typeof wordpressAdministratorSchema>>({
      summary: 'list the administrators of a WordPress',
      args: [ACCOUNT, PATH],
      examples: ['berth wordpress administrators alice public_html'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/wordpress/${(await findAccount(panel, name)).id}/administrators`,
      query: ({ args: [, path = ''] }) => ({ path }),
      columns: [
        ['ID', 'id', 'right'],
        ['LOGIN', 'login'],
        ['EMAIL', 'email'],
      ],
      empty: 'It has no administrator.',
    }),
    ...wordpressCare,
    ...wordpressCopies,
    ...wordpressExtensions,
    login: {
      summary: 'make an address that opens the administration of a WordPress',
      note: 'Good once, and for 30 seconds.',
      args: [ACCOUNT, PATH],
      options: [['--user <login>', 'which administrator (default: the first)']],
      examples: ['berth wordpress login alice public_html'],
      order: async ({ panel, args: [name, path], options }) => ({
        to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/login`,
        body: given<unknown>({ path, user: options.text('user') }),
        done: (data) => console.log(known<{ url: string }>(data, 'url').url),
      }),
    },
  },
}
