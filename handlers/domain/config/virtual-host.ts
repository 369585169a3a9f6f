import { z } from 'zod'
import { APPLICATION_CHOICES } from '../profiles/applications.ts'
import { MAX_INI_SETTINGS, phpIniProblem } from '../php/ini-rules.ts'
import { siteSettingsShape } from '../site-settings/settings-schema.ts'
import { isMediaType } from '../text/media-type.ts'
import { isPathPrefix } from '../upstreams/path-prefix.ts'
import { TEXT_NAME } from './site/site-texts.ts'
import { phpSocketProblem } from './site/php-socket.ts'
import { parseProxyUpstream } from '../upstreams/proxy-upstream.ts'
import {
  cookieName,
  phpChildren,
  phpMemory,
  phpVersion,
  queryParameter,
  siteName,
  text,
  whole,
} from './values.ts'

/** Of a text that rules answer with, in UTF-16 units. */
const MAX_TEXT_LENGTH = 64 * 1024
/** Of one application. */
const MAX_UPSTREAMS = 32
/** As much as an `.htaccess` file may hold. */
const MAX_RULES_LENGTH = 256 * 1024

const phpIni = z
  .record(
    z.string(),
    z
      .union([z.string(), z.number(), z.boolean()])
      .transform((value) => (typeof value === 'boolean' ? (value ? '1' : '0') : String(value))),
  )
  .superRefine((settings, context) => {
    const entries = Object.entries(settings)
    if (entries.length > MAX_INI_SETTINGS)
      context.addIssue({ code: 'custom', message: `holds more than ${MAX_INI_SETTINGS} settings.` })
    for (const [name, value] of entries) {
      const message = phpIniProblem(name, value)
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message })
    }
  })

const mediaType = text
  .transform((value) => value.toLowerCase())
  .refine(
    (value) => /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(value),
    'is not a media type. Write "text/html", without parameters.',
  )

const upstream = text.superRefine((value, context) => {
  const parsed = parseProxyUpstream(value)
  if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed })
})
const pathPrefix = text.refine(
  isPathPrefix,
  'is not a path. Write "/api", without "*", "?" and escapes such as %20; all below it is meant as well.',
)

const {
  headers: _headers,
  error_pages: _pages,
  index: _index,
  listing,
  php: _php,
  folders: _folders,
  backends: _backends,
  ...guardShape
} = siteSettingsShape

/** One application that requests are passed on to. */
const proxyShape = {
  upstream: upstream.optional(),
  upstreams: z
    .array(z.strictObject({ upstream, weight: whole(1, 100).optional() }))
    .min(1)
    .refine((all) => all.length <= MAX_UPSTREAMS, `may hold at most ${MAX_UPSTREAMS} upstreams.`)
    .refine(
      (all) => new Set(all.map((one) => one.upstream)).size === all.length,
      'names one upstream twice. Give it a greater weight instead.',
    )
    .optional(),
  back_off_secs: whole(1, 3600).optional(),
  health_path: text
    .regex(/^\/(?!\/)[\x21-\x7e]{0,1023}$/, 'is not a path. Write "/health".')
    .optional(),
  health_interval_secs: whole(1, 3600).optional(),
  paths: z.array(pathPrefix).min(1).optional(),
  except: z.array(pathPrefix).optional(),
  replace_prefix: z
    .strictObject({ from: pathPrefix, to: pathPrefix, plain: z.boolean().optional() })
    .optional(),
  connect_timeout_secs: whole(1, 600).optional(),
  timeout_secs: whole(1, 86_400).optional(),
  keepalive_connections: whole(0, 1000).optional(),
  preserve_host: z.boolean().optional(),
  websocket: z.boolean().optional(),
  websocket_idle_secs: whole(1, 604_800).optional(),
  verify_tls: z.boolean().optional(),
  reach: z.enum(['internet', 'anywhere']).optional(),
  channel: text.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'is not the id of a machine.').optional(),
  application: text
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'is not the name of an application.')
    .optional(),
}

/** Keys that mean something of several upstreams alone. */
const OF_SEVERAL = ['back_off_secs', 'health_path', 'health_interval_secs'] as const

const application = z.strictObject(proxyShape).superRefine((value, context) => {
  const add = (key: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [key], message })
  if (value.upstream === undefined && value.upstreams === undefined)
    add('upstream', 'is missing. Add it.')
  if (value.upstream !== undefined && value.upstreams !== undefined)
    add('upstreams', 'stands beside upstream. Name them all in upstreams.')
  for (const key of OF_SEVERAL)
    if (value[key] !== undefined && value.upstreams === undefined)
      add(key, 'is for several upstreams. Name them in upstreams, or remove it.')
})

/** One `[[virtualhost]]`. */
export const VIRTUAL_HOST_SCHEMA = z.strictObject({
  domain: siteName,
  aliases: z.array(siteName).optional(),
  /** Needed unless every path is passed on to an application. */
  root: text.optional(),
  index: z
    .array(text.refine((value) => !value.includes('/'), 'must be a file name without "/".'))
    .optional(),
  listing: listing.optional(),
  folders: z
    .record(
      pathPrefix.refine((path) => !path.endsWith('/'), 'must not end with "/".'),
      text,
    )
    .refine((all) => Object.keys(all).length <= 100, 'may hold at most 100 folders.')
    .optional(),
  username: text.regex(/^[a-z0-9]{1,32}$/, 'is not an account name.').optional(),
  uid: whole(0, 2 ** 32 - 2).optional(),
  home: text.optional(),
  suspended: z.boolean().optional(),
  over_bandwidth: z.boolean().optional(),
  redirect_https: z.boolean().optional(),
  hsts_max_age_secs: whole(0, 2 ** 31 - 1).optional(),
  default_host: z.boolean().optional(),
  ssl_certificate: text.optional(),
  ssl_certificate_key: text.optional(),
  error_pages: z
    .record(z.string().regex(/^[45]\d\d$/, 'is not an error status (400 to 599).'), text)
    .optional(),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is not a header name.'),
      z
        .string()
        .refine((value) => !/[^\P{Cc}\t]/u.test(value), 'must not hold control characters.'),
    )
    .optional(),
  rewrites: z
    .array(
      z.strictObject({
        pattern: text,
        target: text,
        flags: z
          .string()
          .refine((value) => !/[\0\r\n]/.test(value), 'must be one line. Remove the line break.')
          .optional(),
        conditions: z.array(text).max(100, 'may hold at most 100 conditions.').optional(),
      }),
    )
    .max(1000, 'may hold at most 1000 rules.')
    .optional(),
  rules: z
    .string()
    .max(MAX_RULES_LENGTH, 'is longer than 256 KiB. Shorten it.')
    .refine((value) => !value.includes('\0'), 'must not hold a NUL character.')
    .optional(),
  guard: z.strictObject(guardShape).partial().optional(),
  htaccess: z.boolean().optional(),
  htaccess_unknown: z.enum(['ignore', 'error']).optional(),
  php: z
    .strictObject({
      enable: z.boolean().optional(),
      version: phpVersion.optional(),
      mode: z.enum(['fpm', 'cgi', 'lsapi']).optional(),
      socket: text
        .superRefine((value, context) => {
          const wrong = phpSocketProblem(value)
          if (wrong !== null) context.addIssue({ code: 'custom', message: wrong })
        })
        .optional(),
      max_children: phpChildren.optional(),
      memory_limit: phpMemory.optional(),
      ini: phpIni.optional(),
    })
    .optional(),
  proxy: application.optional(),
  backends: z
    .record(
      z
        .string()
        .regex(
          /^(?!proxy$)[a-z][a-z0-9-]{0,31}$/,
          'is not the name of a backend. Write "api": up to 32 small letters, digits and "-", and not "proxy".',
        ),
      application,
    )
    .refine((all) => Object.keys(all).length <= 20, 'may hold at most 20 backends.')
    .optional(),
  texts: z
    .record(
      z.string().regex(TEXT_NAME, 'is not the name of a text. Write "health".'),
      z.strictObject({
        status: whole(200, 599)
          .refine(
            (status) => (status < 300 || status > 399) && status !== 204 && status !== 205,
            'must be a status that has a text: 200 to 299 and 400 to 599, not 204 or 205.',
          )
          .optional(),
        type: text
          .refine(isMediaType, 'is not a media type. Write "text/plain; charset=utf-8".')
          .optional(),
        body: z.string().max(MAX_TEXT_LENGTH, 'is longer than 64 KiB. Make a file of it.'),
      }),
    )
    .refine((all) => Object.keys(all).length <= 100, 'may hold at most 100 texts.')
    .optional(),
  cache: z
    .strictObject({
      enable: z.boolean().optional(),
      mode: z.enum(['page', 'http']).optional(),
      fills: z.enum(['auto', 'visitor', 'neutral']).optional(),
      ttl: whole(0, 2 ** 31 - 1).optional(),
      exclude: z
        .array(
          text.refine(
            (value) => value.startsWith('/') && !value.slice(0, -1).includes('*'),
            'must begin with "/"; a "*" may stand only at its end, as in "/shop/*".',
          ),
        )
        .optional(),
      bypass_cookies: z.array(text).optional(),
      harmless_cookies: z.array(cookieName).optional(),
      session_cookies: z.array(cookieName).optional(),
      application: z.enum(['auto', ...APPLICATION_CHOICES]).optional(),
      ignore_query_params: z.array(queryParameter).optional(),
      mobile_variant: z.boolean().optional(),
      content_types: z.array(mediaType).min(1).optional(),
      purge_path: z.boolean().optional(),
    })
    .optional(),
})
