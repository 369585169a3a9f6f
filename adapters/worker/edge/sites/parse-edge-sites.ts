import { z } from 'zod'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import { VIRTUAL_HOST_SCHEMA } from '#handlers/domain/config/schema.ts'
import { hostName, sizeBytes, text, whole } from '#handlers/domain/config/values.ts'
import { endsInNumber } from '#handlers/domain/text/ends-in-number.ts'
import type { EdgeSite, EdgeSites } from './edge-site.ts'

/** Sites are the variables that begin so. */
const PREFIX = 'SITE_'
const DEFAULT_TIMEOUT_SECS = 60

const name = hostName.refine(
  (value) => !endsInNumber(value),
  'is an address of a machine. Give the name under which visitors ask.',
)

/** Scheme, host and port alone, so that what a visitor asks for can never become part of them. */
const originOf = (value: string): string | null => {
  if (!URL.canParse(value)) return null
  const { protocol, origin, username, password, pathname, search, hash } = new URL(value)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  const isBare = pathname === '/' && search === '' && hash === ''
  return isBare && username === '' && password === '' ? origin : null
}

const siteSchema = z
  .strictObject({
    domain: name,
    aliases: z.array(name).max(100).optional(),
    origin: text
      .max(300)
      .refine(
        (value) => originOf(value) !== null,
        'is no origin. Write "https://origin.example.com": scheme, host and port, without path, user name or password.',
      )
      .optional(),
    via: text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'is not the name of a binding.').optional(),
    assets: text
      .regex(
        /^\/(?:[a-z0-9_-][a-z0-9._-]{0,63}\/?){0,8}$/i,
        'is not a folder of the assets. Write "/shop", or "/" for all of them.',
      )
      .optional(),
    redirect_https: z.boolean().optional(),
    timeout_secs: whole(1, 600).optional(),
    max_body_size: sizeBytes.optional(),
    cache: VIRTUAL_HOST_SCHEMA.shape.cache,
  })
  .superRefine(({ origin, assets, via, cache }, context) => {
    const add = (key: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [key], message })
    if ((origin === undefined) === (assets === undefined))
      add('origin', 'or assets must be given, one of the two.')
    if (assets !== undefined && via !== undefined) add('via', 'is for sites that have an origin.')
    if (assets !== undefined && cache !== undefined)
      add(
        'cache',
        'is for sites that have an origin: assets are stored where visitors are already.',
      )
    if (cache?.application !== undefined)
      add('cache', 'cannot have "application": it is recognised by files, which are not here.')
    if (cache?.purge_path !== undefined)
      add('cache', 'cannot have "purge_path": pages are purged by the management API.')
  })

const completed = (raw: z.output<typeof siteSchema>): EdgeSite => ({
  domain: raw.domain,
  aliases: [...new Set(raw.aliases)].filter((alias) => alias !== raw.domain),
  origin: raw.origin === undefined ? null : originOf(raw.origin),
  via: raw.via ?? null,
  assets: raw.assets === undefined ? null : raw.assets.replace(/\/$/, ''),
  redirectHttps: raw.redirect_https ?? false,
  timeoutMs: (raw.timeout_secs ?? DEFAULT_TIMEOUT_SECS) * 1000,
  maxBodyBytes: raw.max_body_size ?? null,
  rule: {
    ...DEFAULT_CACHE_RULE,
    ...Object.fromEntries(
      Object.entries(raw.cache ?? {}).filter(([, value]) => value !== undefined),
    ),
    application: null,
  },
})

const valueOf = (variable: unknown): unknown => {
  if (typeof variable !== 'string') return variable
  try {
    return JSON.parse(variable)
  } catch {
    return variable
  }
}

/**
 * Reads the variables `SITE_…`, each the JSON of one site. One that is wrong, or names what
 * another one has, is left out with a problem: it takes none of the others with it.
 */
export const parseEdgeSites = (
  env: Readonly<Record<string, unknown>>,
  managementHost: string | null,
): EdgeSites => {
  const names = new Map<string, EdgeSite>()
  const all: EdgeSite[] = []
  const problems: string[] = []
  for (const variable of Object.keys(env)
    .filter((key) => key.startsWith(PREFIX))
    .sort()) {
    const parsed = siteSchema.safeParse(valueOf(env[variable]))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      problems.push(`${variable}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
      continue
    }
    const site = completed(parsed.data)
    const own = [site.domain, ...site.aliases]
    const taken = own.find((one) => names.has(one) || one === managementHost)
    const isBound = site.via === null || typeof env[site.via] === 'object'
    if (taken !== undefined) problems.push(`${variable}: ${taken} is another site's name already.`)
    else if (!isBound) problems.push(`${variable}: via names ${site.via}, which is no binding.`)
    else {
      all.push(site)
      for (const one of own) names.set(one, site)
    }
  }
  return { find: (host) => names.get(host) ?? null, all, problems }
}
