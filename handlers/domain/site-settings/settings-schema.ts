import { z } from 'zod'
import { SITE_PHP_RULES, sitePhpProblem } from '../php/site-php-rules.ts'
import { isScriptSource } from '../files/script-source.ts'
import { canonicalBlock } from './address-block.ts'
import { MAX_BACKENDS, siteBackend } from './backends/backend-schema.ts'
import { MAX_FOLDERS, siteFolder } from './folders/folder-schema.ts'
import { headerNameProblem } from './header-rules.ts'
import { circleProblem, redirectTargetProblem } from './redirect-rules.ts'

/** Protected paths of a site. */
export const MAX_PATHS = 50
/** Limits of requests of a site. */
export const MAX_RATE_LIMITS = 20
/** Of one protected path. */
export const MAX_USERS = 100

/** When the names in a directory are shown. */
export const DIRECTORY_LISTINGS = ['off', 'rules', 'on'] as const

const MAX_PATH = 1024
const HOST = /^(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/
/** bcrypt's, of no more work than the web server does for one. */
const HASH = /^\$2[aby]\$(?:0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/

const words = (name: string, max: number) =>
  z
    .string({ error: `${name} must be a text.` })
    .min(1, `${name} must not be empty.`)
    .max(max, `${name} must be at most ${max} characters.`)

/** A text whose problem, if any, follows its name. */
const judged = (name: string, max: number, problemOf: (value: string) => string | null) =>
  words(name, max).superRefine((value, context) => {
    const problem = problemOf(value)
    if (problem !== null) context.addIssue({ code: 'custom', message: `${name} ${problem}` })
  })

const pathProblem = (path: string): string | null => {
  if (!path.startsWith('/')) return 'must begin with "/".'
  if (/[\p{Cc}\\?#]/u.test(path) || !path.isWellFormed())
    return 'must be a path alone, without "?", "#" and "\\".'
  return /\/\/|\/\.{1,2}(?:\/|$)/.test(path) ? 'must not hold "//", "/." and "/..".' : null
}
/** A path of a site, decoded. */
export const sitePath = (name: string) => judged(name, MAX_PATH, pathProblem)

const list = <T extends z.ZodType>(name: string, of: T, max: number) =>
  z
    .array(of, { error: `${name} must be a list.` })
    .max(max, `${name} must have at most ${max} entries.`)

const blocks = (name: string) =>
  list(
    name,
    judged(name, 64, (one) =>
      canonicalBlock(one) === null
        ? 'must hold addresses or blocks such as 192.0.2.7, 10.0.0.0/8 and 2001:db8::/32.'
        : null,
    ),
    1000,
  ).describe('Addresses and blocks, e.g. 192.0.2.7, 10.0.0.0/8, 2001:db8::/32.')

const yesNo = (name: string) => z.boolean({ error: `${name} must be true or false.` })

const redirect = z
  .strictObject({
    from: sitePath('from').describe('Path, decoded, e.g. /old.'),
    match: z
      .enum(['exact', 'prefix'], { error: 'match must be exact or prefix.' })
      .describe('prefix: the path and all below it; with / the whole site.'),
    to: judged('to', 2048, redirectTargetProblem).describe(
      'A path of the site or an address; what follows a prefix is put behind it.',
    ),
    status: z.literal([301, 302, 307, 308], { error: 'status must be 301, 302, 307 or 308.' }),
  })
  .superRefine((rule, context) => {
    const problem = circleProblem(rule)
    if (problem !== null)
      context.addIssue({ code: 'custom', path: ['to'], message: `to ${problem}` })
  })

const header = z.strictObject({
  name: judged('name', 100, headerNameProblem),
  value: judged('value', 4096, (value) =>
    /[^\t\x20-\x7e]/.test(value) || value !== value.trim()
      ? 'must be one line of plain ASCII without blanks at its ends.'
      : null,
  ),
})

const errorPage = judged('error_pages', MAX_PATH, (value) =>
  isScriptSource(value)
    ? 'must name files that are no scripts, e.g. /errors/404.html.'
    : pathProblem(value),
)

const maintenance = z.strictObject({
  enabled: yesNo('enabled'),
  retry_after_secs: z
    .int({ error: 'retry_after_secs must be a whole number of seconds.' })
    .min(1, 'retry_after_secs must be at least 1.')
    .max(30 * 86_400, 'retry_after_secs must be at most 30 days.'),
  allow: blocks('allow'),
})

const hotlink = z.strictObject({
  enabled: yesNo('enabled'),
  extensions: list(
    'extensions',
    judged('extensions', 10, (one) =>
      /^[a-z0-9]+$/.test(one) ? null : 'must hold endings of file names such as jpg.',
    ),
    50,
  ),
  allow: list(
    'allow',
    judged('allow', 253, (one) =>
      HOST.test(one) ? null : 'must hold names of hosts such as example.com or *.example.com.',
    ),
    100,
  ).describe('Hosts whose pages may show the files, beside the site itself.'),
})

/** Settings of PHP by name; where `value` allows null, that one is judged by its name alone. */
export const phpSettings = <T extends z.ZodType<string | null>>(value: T) =>
  z.record(z.string().max(100), value).superRefine((settings, context) => {
    for (const [name, chosen] of Object.entries(settings)) {
      const message = sitePhpProblem(name, chosen ?? '')
      const isKnown = Object.hasOwn(SITE_PHP_RULES, name)
      if (message !== null && !(chosen === null && isKnown))
        context.addIssue({ code: 'custom', path: [name], message: `${name} ${message}` })
    }
  })

const atMost = (name: string, max: number) =>
  z
    .int({ error: `${name} must be a whole number.` })
    .min(1, `${name} must be at least 1.`)
    .max(max, `${name} must be at most ${max}.`)

const rateLimit = z.strictObject({
  path: sitePath('path').describe('With all below it; / is the whole site.'),
  requests: atMost('requests', 1_000_000).describe('In per_secs seconds, of one address.'),
  per_secs: atMost('per_secs', 86_400),
  burst: atMost('burst', 1_000_000).describe('The most at once.'),
  count_hits: yesNo('count_hits')
    .default(true)
    .describe('Whether pages and files that are ready in memory count too.'),
})

/** How often one address may ask. */
export const rateLimits = z.strictObject({
  rules: list('rules', rateLimit, MAX_RATE_LIMITS).refine(
    (rules) => new Set(rules.map(({ path }) => path)).size === rules.length,
    'rules must not name a path twice.',
  ),
  allow: blocks('allow'),
})

/** Name that somebody logs in with at a protected path. */
export const siteUserName = () =>
  judged('name', 64, (name) =>
    /[:\p{Cc}]/u.test(name) || name !== name.trim() || !name.isWellFormed()
      ? 'must not hold ":" or control characters, nor begin or end with blanks.'
      : null,
  )

/** What a browser says that it is asking for. */
export const siteRealm = () =>
  judged('realm', 100, (realm) =>
    /["\\]|[^\x20-\x7e]/.test(realm) ? 'must be plain ASCII without quotes.' : null,
  ).describe('What the browser says it is asking for.')

/** The shape of a protected path, whatever is told of its users. */
export const protectedPath = <T extends z.ZodType<{ name: string }>>(user: T) =>
  z.strictObject({
    path: sitePath('path').describe('With all below it; / is the whole site.'),
    realm: siteRealm(),
    users: list('users', user, MAX_USERS).refine(
      (users) => new Set(users.map(({ name }) => name)).size === users.length,
      'users must not name anybody twice.',
    ),
  })

const once = (name: string, keyOf: (one: { path: string }) => string) =>
  [
    (items: readonly { path: string }[]) => new Set(items.map(keyOf)).size === items.length,
    `${name} must not name a path twice.`,
  ] as const

/** Protected paths, each named once. */
export const protectedPaths = <T extends z.ZodType<{ name: string }>>(user: T) =>
  list('protected', protectedPath(user), MAX_PATHS).refine(...once('protected', (one) => one.path))

const kept = z.strictObject({
  name: siteUserName(),
  hash: z.string().regex(HASH, 'hash must be of bcrypt.'),
})

/** Settings of a site, field by field: in the panel's records, archives, and files of the web server. */
export const siteSettingsShape = {
  www: z
    .enum(['both', 'with', 'without'], { error: 'www must be both, with or without.' })
    .describe('Which of a name and its www. leads to the other, where the site has both.'),
  redirects: list('redirects', redirect, 500).refine(
    (rules) => new Set(rules.map(({ from, match }) => `${match} ${from}`)).size === rules.length,
    'redirects must not have two rules for one path.',
  ),
  headers: list('headers', header, 50)
    .refine(
      (headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length,
      'headers must not name a header twice.',
    )
    .describe('Part of every response of the site.'),
  error_pages: z
    .record(z.string().regex(/^[45]\d\d$/, 'error_pages must be by status, 400 to 599.'), errorPage)
    .describe('Path of a file below the document root, by status.'),
  index: list(
    'index',
    judged('index', 100, (name) =>
      /[/\\\p{Cc}]|^\./u.test(name) ? 'must hold names of files such as index.html.' : null,
    ),
    20,
  ).describe("Files that stand for a folder, in this order; empty: the server's."),
  listing: z
    .enum(DIRECTORY_LISTINGS, { error: 'listing must be off, rules or on.' })
    .describe(
      'Names in folders without an index: never, only where .htaccess says Options +Indexes, or unless it says Options -Indexes.',
    ),
  php: phpSettings(z.string()).describe(
    "Values of php.ini for the site's PHP, as texts; what is absent follows the server.",
  ),
  maintenance: maintenance.describe('503 for all but the allowed addresses.'),
  allow: blocks('allow').describe('With any, all other addresses are refused.'),
  deny: blocks('deny').describe('Addresses that are refused.'),
  hotlink,
  // Absent in what was written before there were any.
  rate_limits: rateLimits
    .default({ rules: [], allow: [] })
    .describe('429 for an address that asks more often; an IPv6 address counts as its /64.'),
  protected: protectedPaths(kept),
  // Both absent in what was written before there were any.
  folders: list('folders', siteFolder, MAX_FOLDERS)
    .refine(...once('folders', (one) => one.path))
    .default([])
    .describe(
      'Folders of the home whose files are reached below a path; their scripts do not run.',
    ),
  backends: list('backends', siteBackend, MAX_BACKENDS)
    .refine(...once('backends', (one) => one.path))
    .default([]),
} as const

/** Settings of a site, whole. */
export const siteSettingsSchema = z.strictObject(siteSettingsShape)
