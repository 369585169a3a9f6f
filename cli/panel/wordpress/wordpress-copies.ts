import type { z } from 'zod'
import type {
  copiedWordpressSchema,
  pushedWordpressSchema,
  wordpressTablesSchema,
} from '#handlers/panel/wordpress/schema.ts'
import type { CommandSpec, OptionSpec } from '../frame/command-types.ts'
import { given } from '../frame/command-options.ts'
import { known } from '../frame/known.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'
import { printable } from '../../terminal/printable.ts'
import { PATH } from './wordpress-care.ts'

type Copied = z.output<typeof copiedWordpressSchema>
type Pushed = z.output<typeof pushedWordpressSchema>
type Tables = z.output<typeof wordpressTablesSchema>

const WHERE: readonly OptionSpec[] = [
  ['--directory <folder>', 'below the document root (default: the document root itself)'],
  [
    '--document-root <path>',
    'of a domain that is made (default: a folder of the home that is called as the domain)',
  ],
  ['--database <name>', 'without prefix (default: a free one)'],
  [
    '--wildcard',
    'one wildcard domain for a network whose sites have names of their own (default: a domain for each)',
  ],
]
const showCopy = (data: unknown): void => {
  const { url, path, names } = known<Copied>(data, 'url', 'path', 'names')
  console.log(`The copy is at ${url}, in the folder ${printable(path)}.`)
  for (const { from, to } of names) console.log(`${printable(from)} is ${printable(to)} there.`)
}

/** What `berth wordpress` does with copies. */
export const wordpressCopies: Readonly<Record<string, CommandSpec>> = {
  stage: {
    summary: 'make a staging copy of a WordPress',
    note: 'The domain is made where the account does not have it. Search engines are asked to stay away from the copy, and its WordPress sends no mail.',
    args: [ACCOUNT, PATH, ['<domain>', 'where the copy is to be, e.g. staging.alice.example']],
    options: WHERE,
    job: true,
    examples: ['berth wordpress stage alice public_html staging.alice.example'],
    order: async ({ panel, args: [name, path, domain], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/staging`,
      body: given<unknown>({
        ...{ path, domain, directory: options.text('directory') },
        document_root: options.text('documentRoot'),
        db_name: options.text('database'),
        wildcard: options.isOn('wildcard') ? true : undefined,
      }),
      done: showCopy,
    }),
  },
  push: {
    summary: 'push a staging copy back into its site',
    note: 'After a snapshot of the account. What goes back takes the place of what the site has; where the site fails afterwards all of it is put back.',
    args: [ACCOUNT, ['<path>', 'the folder of the copy, as berth wordpress list shows it']],
    options: [
      ['--files-only', 'leave the database as it is'],
      ['--database-only', 'leave the files as they are'],
      ['--tables <names>', 'push these tables alone, with commas between them'],
      ['--with-bound', 'and those that foreign keys bind to them'],
    ],
    confirms: 'path',
    job: true,
    examples: [
      'berth wordpress push alice staging.alice.example --yes',
      'berth wordpress push alice staging.alice.example --database-only --tables wp_posts,wp_postmeta --yes',
    ],
    order: async ({ panel, args: [name, path], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/push`,
      confirm: [
        `The copy in "${printable(path ?? '')}" takes the place of what its site has.`,
        path ?? '',
      ],
      body: given<unknown>({
        path,
        files: options.isOn('databaseOnly') ? false : undefined,
        database: options.isOn('filesOnly') ? false : undefined,
        tables: options
          .text('tables')
          ?.split(',')
          .map((one) => one.trim()),
        with_bound: options.isOn('withBound') ? true : undefined,
      }),
      done(data) {
        const { url, tables, files, backup, without_domain } = known<Pushed>(
          data,
          ...(['url', 'tables', 'files', 'backup', 'without_domain'] as const),
        )
        console.log(
          `${url} has ${files ? 'the files' : 'no files'} and ${tables.length} tables of the copy. What was before is in the backup ${printable(backup)}.`,
        )
        for (const name of without_domain)
          console.log(`No domain of the account is ${printable(name)}, a name of one of its sites.`)
      },
    }),
  },
  tables: {
    summary: 'list the tables of a WordPress',
    args: [ACCOUNT, PATH],
    examples: ['berth wordpress tables alice staging.alice.example'],
    order: async ({ panel, args: [name, path] }) => ({
      to: api`GET /api/wordpress/${(await findAccount(panel, name)).id}/tables`,
      query: { path: path ?? '' },
      done(data) {
        for (const table of known<Tables>(data, 'tables').tables)
          console.log(
            [
              `${printable(table.name)} ${table.rows}`,
              ...(table.bound_to.length === 0
                ? []
                : [`bound to ${table.bound_to.map(printable).join(', ')}`]),
            ].join(' '),
          )
      },
    }),
  },
  clone: {
    summary: 'clone a WordPress to a domain of another account',
    note: 'For administrators, and resellers of both accounts. The domain is made where the account does not have it.',
    args: [
      ACCOUNT,
      PATH,
      ['<to>', 'the other account, by username or number'],
      ['<domain>', 'of the clone'],
    ],
    options: WHERE,
    job: true,
    examples: ['berth wordpress clone alice public_html bob shop.bob.example'],
    order: async ({ panel, args: [name, path, to, domain], options }) => ({
      to: api`POST /api/wordpress/${(await findAccount(panel, name)).id}/clone`,
      body: given<unknown>({
        ...{ path, domain, directory: options.text('directory') },
        to_account_id: (await findAccount(panel, to)).id,
        document_root: options.text('documentRoot'),
        db_name: options.text('database'),
        wildcard: options.isOn('wildcard') ? true : undefined,
      }),
      done: showCopy,
    }),
  },
}
