import type { z } from 'zod'
import {
  errorPageOf,
  folderLine,
  folderOf,
  headerLine,
  headerOf,
  rateLimitLine,
  rateLimitOf,
  redirectLine,
  redirectOf,
} from '#handlers/domain/site-settings/setting-lines.ts'
import { DIRECTORY_LISTINGS } from '#handlers/domain/site-settings/settings-schema.ts'
import type { sitePhpAnswer, siteSettingsAnswer } from '#handlers/panel/site-settings/schema.ts'
import { CliError } from '../../cli-error.ts'
import { given, givenSome, type CommandOptions } from '../frame/command-options.ts'
import type { CommandSpec, ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { findDomain } from '../frame/lookup.ts'
import { api } from '../frame/panel-client.ts'
import { showRecord } from '../frame/show-record.ts'
import { test } from './site-test.ts'

type Settings = z.output<typeof siteSettingsAnswer>
type SitePhp = z.output<typeof sitePhpAnswer>

const DOMAIN = ['<domain>', 'name or number'] as const
const REPEATED = { repeatable: true } as const

/** One line for each rule; `--json` has them in full. */
const shown = (data: unknown): void => {
  const { redirects, headers, error_pages, maintenance, hotlink, rate_limits, folders, ...rest } =
    known<Settings>(data, 'redirects', 'protected', 'rate_limits', 'folders')
  showRecord({
    ...rest,
    redirects: redirects.map(redirectLine),
    headers: headers.map(headerLine),
    error_pages: Object.entries(error_pages).map(([status, path]) => `${status} ${path}`),
    maintenance: maintenance.enabled ? `on, except for ${maintenance.allow.join(' ')}` : 'off',
    hotlink: hotlink.enabled ? hotlink.extensions.join(' ') : 'off',
    rate_limits: rate_limits.rules.map(rateLimitLine),
    rate_limits_allow: rate_limits.allow,
    folders: folders.map(folderLine),
    protected: rest.protected.map(
      ({ path, users }) => `${path}: ${users.map(({ name }) => name).join(', ')}`,
    ),
  })
}

/** A list that is given whole; a single empty text empties it. */
const listOf = (options: CommandOptions, name: string): string[] | undefined =>
  options.list(name)?.filter((entry) => entry !== '')

/** What one line says; refuses one that says nothing that can be read. */
const readAs =
  <T>(option: string, form: string, of: (line: string) => T | null) =>
  (line: string): T => {
    const read = of(line)
    if (read === null) throw new CliError(`${option} must be ${form}, but is "${line}".`, 2)
    return read
  }
const readRedirect = readAs(
  '--redirect',
  '"[status] from to", as in "301 /old /new", with status 301, 302, 307 or 308',
  redirectOf,
)
const readHeader = readAs('--header', '"Name: value"', headerOf)
const readRateLimit = readAs(
  '--rate-limit',
  '"path requests/seconds [burst most] [nohits]", as in "/login 5/60 burst 10"',
  rateLimitOf,
)
const readFolder = readAs('--folder', '"path folder", as in "/media shared/media"', folderOf)
const readErrorPage = readAs('--error-page', '"status path", as in "404 /404.html"', errorPageOf)
const readPhp = readAs('--php', '"name=value", as in "memory_limit=256M"', (line) => {
  const equals = line.indexOf('=')
  if (equals < 1) return null
  const [name, value] = [line.slice(0, equals).trim(), line.slice(equals + 1).trim()]
  return [name, value === '' ? null : value] as const
})
const some = (fields: Record<string, unknown>): Record<string, unknown> | undefined => {
  const told = given(fields)
  return Object.keys(told).length === 0 ? undefined : told
}

const show: CommandSpec = {
  summary: 'show what a site does before its own rules, files and scripts have a say',
  args: [DOMAIN],
  examples: ['berth site show shop.example'],
  async order({ panel, args: [name] }) {
    const { id } = await findDomain(panel, name)
    return { to: api`GET /api/domains/${id}/site`, done: shown }
  },
}

const set: CommandSpec = {
  summary: 'change what a site does before its own rules, files and scripts have a say',
  note: 'A list that is given replaces the one before; an empty text empties it. Pages of the site are purged.',
  args: [DOMAIN],
  options: [
    ['--www <which>', 'which name leads to the other', { choices: ['both', 'with', 'without'] }],
    [
      '--redirect <rule>',
      '"[status] from to"; from ending in /* means all below; repeatable, as are all lists',
      REPEATED,
    ],
    ['--header <field>', '"Name: value", part of every response', REPEATED],
    ['--error-page <page>', '"status path", as in "404 /404.html"', REPEATED],
    ['--index <file>', 'stands for a folder, the first that is there', REPEATED],
    [
      '--listing <when>',
      'show the names in folders without an index: never, where .htaccess says Options +Indexes, or unless it says Options -Indexes',
      { choices: DIRECTORY_LISTINGS },
    ],
    [
      '--php <setting>',
      '"name=value" as in php.ini; without a value the server\'s counts again; names: berth site php',
      REPEATED,
    ],
    ['--maintenance', 'answer 503 to all but the allowed addresses'],
    ['--no-maintenance', 'serve everybody again'],
    ['--maintenance-allow <address>', 'sees the site meanwhile', REPEATED],
    ['--retry-after <seconds>', 'when visitors are told to come again'],
    ['--allow <address>', 'address or block; all others are refused', REPEATED],
    ['--deny <address>', 'address or block that is refused', REPEATED],
    [
      '--rate-limit <limit>',
      '"path requests/seconds [burst most] [nohits]" of one address; more get 429; nohits: pages and files ready in memory do not count',
      REPEATED,
    ],
    ['--rate-limit-allow <address>', 'address or block that no limit is for', REPEATED],
    [
      '--folder <folder>',
      '"path folder", as in "/media shared/media": a folder of the home, reached below a path',
      REPEATED,
    ],
    ['--hotlink', 'show pictures to pages of the site itself only'],
    ['--no-hotlink', 'show them to all'],
    ['--hotlink-extension <name>', 'which files, as in jpg', REPEATED],
    ['--hotlink-allow <host>', 'other hosts whose pages may show them', REPEATED],
  ],
  examples: [
    'berth site set shop.example --www without --redirect "301 /old /new" --redirect "/blog/* https://blog.example/"',
    'berth site set shop.example --maintenance --maintenance-allow 192.0.2.7',
    'berth site set shop.example --php memory_limit=512M --php upload_max_filesize=64M --php date.timezone=',
    'berth site set shop.example --deny 198.51.100.0/24 --header "X-Frame-Options: DENY"',
    'berth site set shop.example --rate-limit "/ 600/60" --rate-limit "/login 5/60"',
  ],
  async order({ panel, args: [name], options }) {
    const pages = listOf(options, 'errorPage')?.map(readErrorPage)
    const chosen = options.list('php')?.map(readPhp)
    const body = givenSome(
      {
        www: options.text('www'),
        redirects: listOf(options, 'redirect')?.map(readRedirect),
        headers: listOf(options, 'header')?.map(readHeader),
        error_pages: pages && Object.fromEntries(pages),
        index: listOf(options, 'index'),
        listing: options.text('listing'),
        php: chosen && Object.fromEntries(chosen),
        allow: listOf(options, 'allow'),
        deny: listOf(options, 'deny'),
        folders: listOf(options, 'folder')?.map(readFolder),
        maintenance: some({
          enabled: options.flag('maintenance'),
          retry_after_secs: options.number('retryAfter', [1]),
          allow: listOf(options, 'maintenanceAllow'),
        }),
        hotlink: some({
          enabled: options.flag('hotlink'),
          extensions: listOf(options, 'hotlinkExtension'),
          allow: listOf(options, 'hotlinkAllow'),
        }),
        rate_limits: some({
          rules: listOf(options, 'rateLimit')?.map(readRateLimit),
          allow: listOf(options, 'rateLimitAllow'),
        }),
      },
      '--www, --redirect, --header, --error-page, --index, --listing, --php, --maintenance, --allow, --deny, --rate-limit, --folder, --hotlink',
    )
    const { id } = await findDomain(panel, name)
    return { to: api`PATCH /api/domains/${id}/site`, body, done: shown }
  },
}

/** One line for each setting, with who said so. */
const shownPhp = (data: unknown): void => {
  const { settings, extensions, ...rest } = known<SitePhp>(data, 'settings', 'extensions')
  const said = settings.map(({ name, value, source }) => [name, `${value || '-'} (${source})`])
  showRecord({
    ...rest,
    settings: Object.fromEntries(said) as Record<string, string>,
    extensions: extensions.map(({ name, version }) =>
      version === null || version === rest.full_version ? name : `${name} ${version}`,
    ),
  })
}

const php: CommandSpec = {
  summary: "show a site's PHP: version, extensions, and each setting that may be chosen",
  note: 'Behind each value stands who said so: php.ini, the server, the plan, the domain, or its .user.ini.',
  args: [DOMAIN],
  examples: ['berth site php shop.example'],
  async order({ panel, args: [name] }) {
    const { id } = await findDomain(panel, name)
    return { to: api`GET /api/domains/${id}/php`, done: shownPhp }
  },
}

const LOGIN = [DOMAIN, ['<path>', 'as in /internal'], ['<name>', 'who logs in']] as const

const protect: CommandSpec = {
  summary: 'ask for a password at a path of a site, and let somebody in there',
  note: 'Whoever is let in there already gets the new password.',
  args: LOGIN,
  options: [['--realm <text>', 'what the browser says it is asking for']],
  password: 'password',
  examples: ['berth site protect shop.example /internal ann --generate-password'],
  async order({ panel, args: [domain, path, name], options }) {
    const { id } = await findDomain(panel, domain)
    return {
      to: api`PUT /api/domains/${id}/site/logins`,
      body: given({ path, name, realm: options.text('realm') }),
      done: `${name} is let in at ${path}.`,
    }
  },
}

const unprotect: CommandSpec = {
  summary: 'let somebody in at a protected path no more',
  note: 'With the last one the path is open to everybody again.',
  args: LOGIN,
  confirms: 'name',
  examples: ['berth site unprotect shop.example /internal ann'],
  async order({ panel, args: [domain, path = '', name = ''] }) {
    const { id } = await findDomain(panel, domain)
    return {
      to: api`DELETE /api/domains/${id}/site/logins`,
      query: { path, name },
      confirm: [`Taking the password of ${name} for ${path}`, name],
      done: `${name} is let in at ${path} no more.`,
    }
  },
}

/** `berth site …`. */
export const site: ResourceSpec = {
  name: 'site',
  summary:
    'redirects, headers, maintenance, passwords, limits, PHP settings and lists of addresses of sites, and what their rewrite rules do',
  commands: { show, set, php, test, protect, unprotect },
}
