import { z } from 'zod'
import { count, named } from '../frame/common-schemas.ts'

const version = () => z.string().nullable().describe('Null where its files tell none.')
const newest = () =>
  z
    .string()
    .nullable()
    .describe('The newest that a source on this host has; null where none has it.')

/** A plugin or theme. */
export const wordpressExtensionSchema = named('WordpressExtension', {
  slug: z.string().describe('Its folder, or its file where it has none.'),
  name: z.string(),
  version: version(),
  newest: newest(),
  outdated: z.boolean(),
})

/** A WordPress below the document root of a site. */
export const wordpressSchema = named('Wordpress', {
  domain: z.string().describe('The site that shows it.'),
  path: z.string().describe("Its folder, relative to the account's home."),
  directory: z
    .string()
    .describe('The same below the document root; empty: the document root itself.'),
  url: z.string(),
  version: version(),
  newest: newest(),
  staging_of: z
    .string()
    .nullable()
    .describe('Folder of the WordPress that it is a staging copy of; null: it is none.'),
  outdated_core: z.boolean().describe('Itself.'),
  outdated: z.boolean().describe('Itself, or a plugin or theme of it.'),
  plugins: z.array(wordpressExtensionSchema),
  themes: z.array(wordpressExtensionSchema),
})

/** A WordPress that was just installed. */
export const installedWordpressSchema = named('InstalledWordpress', {
  domain: z.string(),
  path: z.string(),
  directory: z.string(),
  url: z.string(),
  version: z.string(),
  database: z.string().describe('Its database, whose user is called the same.'),
  user: z.string().describe('Its administrator.'),
})

/** A WordPress that was just brought to another version. */
export const updatedWordpressSchema = named('UpdatedWordpress', {
  path: z.string(),
  from: version(),
  to: z.string(),
  backup: z.string().describe('What was made before: the id of a snapshot, or name of a backup.'),
})

/** A copy of a WordPress that was just made. */
export const copiedWordpressSchema = named('CopiedWordpress', {
  account_id: z.int().positive().describe('Whose it is.'),
  domain: z.string(),
  path: z.string(),
  directory: z.string(),
  url: z.string(),
  database: z.string().describe('Its database, whose user is called the same.'),
  new_domain: z.boolean().describe('Whether the domain was made for it.'),
  names: z
    .array(z.object({ from: z.string(), to: z.string() }))
    .describe(
      'Of a network whose sites have names of their own: these, and the addresses that they have in the copy.',
    ),
  made: z.array(z.string()).describe('Domains that were made for these names.'),
})

/** A staging copy that was just pushed back. */
export const pushedWordpressSchema = named('PushedWordpress', {
  path: z.string().describe('Of the site that it went to.'),
  url: z.string(),
  files: z.boolean(),
  tables: z.array(z.string()),
  backup: z.string().describe('What was made before: the id of a snapshot, or name of a backup.'),
  without_domain: z
    .array(z.string())
    .describe(
      'Names of sites of a network for which the account has no domain, e.g. of those that were added in the copy.',
    ),
})

/** Tables of a WordPress. */
export const wordpressTablesSchema = named('WordpressTables', {
  database: z.string(),
  prefix: z.string().describe('With which the names of its tables begin.'),
  tables: z.array(
    z.object({
      name: z.string(),
      rows: count().describe('As the server estimates it.'),
      bytes: count(),
      bound_to: z
        .array(z.string())
        .describe('What foreign keys bind directly to it: such tables go back together.'),
    }),
  ),
})

/** An administrator of a WordPress. */
export const wordpressAdministratorSchema = named('WordpressAdministrator', {
  id: z.int().positive(),
  login: z.string(),
  email: z.string(),
})

/** What can be set of a WordPress. */
export const wordpressSettingsSchema = named('WordpressSettings', {
  debug: z
    .boolean()
    .describe("Whether errors are written to logs/wordpress-debug.log in the account's home."),
  cron: z
    .enum(['visitors', 'berth', 'none'])
    .describe(
      'Who runs what is due: requests of visitors, a cron job of the account, or nobody whom Berth knows.',
    ),
})

/** What of the core of a WordPress is not as its source has it. */
export const wordpressIntegritySchema = named('WordpressIntegrity', {
  checked: count().describe('Files of the source that were compared.'),
  changed: z.array(z.string()),
  missing: z.array(z.string()),
  added: z.array(z.string()).describe('Where WordPress keeps nothing but its own.'),
  cut: z.boolean().describe('Whether a list was longer than the 200 that are shown.'),
})

/** What became of an address in the database of a WordPress. */
export const replacedAddressSchema = named('ReplacedAddress', {
  from: z.string(),
  to: z.string(),
  rows: count(),
  values: count().describe('How often it stood there.'),
  skipped: z
    .array(z.string())
    .describe('Tables without a primary key that hold it and stay as they are.'),
})

/** A version that sites can be installed from. */
export const wordpressSourceSchema = named('WordpressSource', {
  version: z.string(),
  locales: z.array(z.string()).describe('Languages that come with it beside English, e.g. de_DE.'),
  localised: z
    .string()
    .nullable()
    .describe('The language that it is made for alone; null: for everybody, in English.'),
  source: z
    .enum(['folder', 'archive', 'official'])
    .describe(
      'An unpacked tree or an archive that the administrator has placed, or the archive of wordpress.org.',
    ),
})
