import { z } from 'zod'
import { parseSizeBytes } from '../../edge-cache/config.ts'
import { parseProxyUpstream } from './proxy-upstream.ts'
import { MAX_INI_SETTINGS, phpIniProblem } from './php-ini-rules.ts'
import { parseListenAddress } from './server-config-listen.ts'

const text = z
  .string()
  .min(1, 'must not be empty. Give it a value or remove the key.')
  .refine((value) => !/[\0\r\n]/.test(value), 'must be one line. Remove the line break.')
const whole = (min: number, max: number): z.ZodInt => z.int().min(min).max(max)
const size = text.refine(
  (value) => parseSizeBytes(value) !== null,
  'is not a size. Write a number with a unit, such as "256M" or "2G".',
)
const sizeBytes = z
  .union([z.int().min(0), size])
  .transform((value) => (typeof value === 'number' ? value : (parseSizeBytes(value) ?? 0)))
/** What browsers send fits in 1 KiB only without cookies; beyond 1 MiB a head is an attack. */
const MIN_HEAD_BYTES = 1024
const MAX_HEAD_BYTES = 2 ** 20
/** As much as an `.htaccess` file may hold. */
const MAX_RULES_LENGTH = 256 * 1024
/** One address or several; `["0.0.0.0:80", "[::]:80"]`. */
const listen = z
  .union([text, z.array(text)])
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .superRefine((list, context) => {
    list.forEach((entry, index) => {
      if (parseListenAddress(entry) === null)
        context.addIssue({
          code: 'custom',
          path: list.length > 1 ? [index] : [],
          message: `"${entry}" is not an address. Write "address:port" such as "0.0.0.0:80", or "[::]:80" for IPv6.`,
        })
    })
  })
const loopback = listen.superRefine((list, context) => {
  for (const entry of list) {
    const address = parseListenAddress(entry)
    if (address !== null && !address.loopback)
      context.addIssue({
        code: 'custom',
        message: `"${entry}" can be reached from outside; the management API is for this machine only. Use "127.0.0.1:${address.port}".`,
      })
  }
})
const cidr = text.refine(
  (value) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(value),
  'is not an address block. Write "10.0.0.0/8", "2001:db8::/32" or one address.',
)
const phpVersion = text.regex(/^\d{1,2}\.\d{1,2}$/, 'is not a PHP version. Write "8.2".')

const phpChildren = whole(1, 1000)
const phpMemory = text.regex(/^\d{1,9}[KMG]?$/i, 'is not a PHP memory limit. Write "256M".')
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

const queryParameter = text.refine(
  (value) => !/[?&=#\s]/.test(value) && value !== '*' && !value.slice(0, -1).includes('*'),
  'is not the name of a query parameter. Write "fbclid"; a "*" may stand only at the end of a name, as in "utm_*".',
)
const mediaType = text
  .transform((value) => value.toLowerCase())
  .refine(
    (value) => /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(value),
    'is not a media type. Write "text/html", without parameters.',
  )

const hostName = text
  .transform((value) => value.toLowerCase())
  .refine(
    (value) =>
      value.length <= 253 &&
      /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/.test(value),
    'is not a host name. Use letters, digits, hyphens and dots; international names in their xn-- form.',
  )

const PANEL_TLS =
  'must be "off", "self-signed" or the name under which the panel is reached, such as "panel.example.com".'
const upstream = text.superRefine((value, context) => {
  const parsed = parseProxyUpstream(value)
  if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed })
})
const pathPrefix = text.refine(
  (value) => /^\/(?!\/|\.{1,2}(?:\/|$))(?:[^\s%?#\\*/]|\/(?!\/|\.{1,2}(?:\/|$)))*$/.test(value),
  'is not a path. Write "/api", without "*", "?" and escapes such as %20; all below it is meant as well.',
)

/** Sections of the main file, each checked by itself so that one mistake hides no other. */
export const SECTION_SCHEMAS = {
  paths: z.strictObject({
    state_dir: text.optional(),
    home_base: text.optional(),
    run_dir: text.optional(),
    log_dir: text.optional(),
    install_dir: text.optional(),
    vhosts_dir: text.optional(),
    secrets_dir: text.optional(),
  }),
  panel: z.strictObject({
    listen: listen.optional(),
    acme_email: text
      .regex(/^[^\s@]+@[^\s@]+$/, 'is not an e-mail address. Write "you@example.com".')
      .optional(),
    acme_directory: text
      .refine(
        (value) => URL.canParse(value) && new URL(value).protocol === 'https:',
        'is not an https URL. Write "https://acme-v02.api.letsencrypt.org/directory".',
      )
      .optional(),
    acme_ca_file: text.optional(),
    tls: z
      .union([
        z.enum(['off', 'self-signed']),
        hostName.refine((name) => name.includes('.'), PANEL_TLS),
      ])
      .optional(),
    tls_certificate: text.optional(),
    tls_certificate_key: text.optional(),
    setup_token_file: text.optional(),
    license_file: text.optional(),
    license_public_key_file: text.optional(),
    trusted_proxies: z.array(cidr).optional(),
  }),
  server: z.strictObject({
    listen: listen.optional(),
    listen_ssl: listen.optional(),
    workers: whole(0, 256).optional(),
    keepalive_timeout: whole(1, 3600).optional(),
    header_timeout: whole(1, 3600).optional(),
    request_timeout: whole(1, 86_400).optional(),
    max_header_size: sizeBytes
      .refine(
        (value) => value >= MIN_HEAD_BYTES && value <= MAX_HEAD_BYTES,
        'must lie between "1K" and "1M".',
      )
      .optional(),
    max_body_size: sizeBytes.optional(),
    max_connections: whole(0, 10_000_000).optional(),
    max_connections_per_address: whole(0, 10_000_000).optional(),
    access_log: z.boolean().optional(),
  }),
  api: z.strictObject({ listen: loopback.optional() }),
  php: z.strictObject({
    default_version: phpVersion.optional(),
    max_children: phpChildren.optional(),
    memory_limit: phpMemory.optional(),
    idle_timeout: whole(1, 86_400).optional(),
    request_timeout: whole(1, 86_400).optional(),
    lsphp_directory: text.optional(),
  }),
  cache: z.strictObject({
    enable: z.boolean().optional(),
    l1_enabled: z.boolean().optional(),
    l2_enabled: z.boolean().optional(),
    storage: z.enum(['memory', 'disk', 'redis']).optional(),
    memory_limit: size.optional(),
    disk_path: text.optional(),
    disk_limit: size.optional(),
    redis_url: text
      .regex(
        /^(rediss?(\+cluster)?|unix):\/\//i,
        'is not a Redis URL. Write "redis://:password@host:6379".',
      )
      .optional(),
    default_ttl: whole(0, 2 ** 31 - 1).optional(),
    grace_secs: whole(0, 2 ** 31 - 1).optional(),
    ignore_query_params: z.array(queryParameter).optional(),
    mobile_variant: z.boolean().optional(),
    warm_enabled: z.boolean().optional(),
    warm_schedule_secs: whole(0, 2 ** 31 - 1).optional(),
    warm_max_queue_size: whole(1, 10_000_000).optional(),
    warm_max_concurrency: whole(1, 1024).optional(),
    warm_request_timeout_ms: whole(1, 3_600_000).optional(),
    warm_max_retries: whole(0, 100).optional(),
    warm_retry_backoff_ms: whole(0, 3_600_000).optional(),
    warm_dedupe_window_secs: whole(0, 2 ** 31 - 1).optional(),
    warm_batch_size: whole(1, 1_000_000).optional(),
  }),
  ssl: z.strictObject({
    directory: text.optional(),
    protocols: z
      .array(z.enum(['TLSv1.2', 'TLSv1.3']))
      .min(1)
      .optional(),
  }),
  databases: z.strictObject({
    mariadb: z.enum(['auto', 'managed', 'system', 'off']).optional(),
    mariadb_socket: text.optional(),
    postgresql: z.enum(['auto', 'managed', 'system', 'off']).optional(),
    postgresql_socket: text
      .regex(/(^|\/)\.s\.PGSQL\.\d{1,5}$/, 'must be a socket named ".s.PGSQL." and its port.')
      .optional(),
  }),
  backups: z.strictObject({
    schedule: whole(0, 23).optional(),
    retention_days: whole(1, 3650).optional(),
  }),
  include: text.regex(
    /^[^*]*(\*[^*/]*)?$/,
    'may hold one "*", in its last part, as in "sites.d/*.toml".',
  ),
} as const

/** One `[[virtualhost]]`. */
export const VIRTUAL_HOST_SCHEMA = z.strictObject({
  domain: hostName,
  aliases: z.array(hostName).optional(),
  /** Needed unless every path is passed on to an application. */
  root: text.optional(),
  index: z
    .array(text.refine((value) => !value.includes('/'), 'must be a file name without "/".'))
    .optional(),
  username: text.regex(/^[a-z0-9]{1,32}$/, 'is not an account name.').optional(),
  uid: whole(0, 2 ** 32 - 2).optional(),
  home: text.optional(),
  suspended: z.boolean().optional(),
  over_bandwidth: z.boolean().optional(),
  redirect_https: z.boolean().optional(),
  hsts_max_age_secs: whole(0, 2 ** 31 - 1).optional(),
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
  htaccess: z.boolean().optional(),
  htaccess_unknown: z.enum(['ignore', 'error']).optional(),
  php: z
    .strictObject({
      enable: z.boolean().optional(),
      version: phpVersion.optional(),
      mode: z.enum(['fpm', 'cgi', 'lsapi']).optional(),
      socket: text.optional(),
      max_children: phpChildren.optional(),
      memory_limit: phpMemory.optional(),
      ini: phpIni.optional(),
    })
    .optional(),
  proxy: z
    .strictObject({
      upstream,
      paths: z.array(pathPrefix).min(1).optional(),
      except: z.array(pathPrefix).optional(),
      connect_timeout_secs: whole(1, 600).optional(),
      timeout_secs: whole(1, 86_400).optional(),
      keepalive_connections: whole(0, 1000).optional(),
      preserve_host: z.boolean().optional(),
      websocket: z.boolean().optional(),
      websocket_idle_secs: whole(1, 604_800).optional(),
      verify_tls: z.boolean().optional(),
    })
    .optional(),
  cache: z
    .strictObject({
      enable: z.boolean().optional(),
      mode: z.enum(['page', 'http']).optional(),
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
      ignore_query_params: z.array(queryParameter).optional(),
      mobile_variant: z.boolean().optional(),
      content_types: z.array(mediaType).min(1).optional(),
    })
    .optional(),
})

export type SectionName = Exclude<keyof typeof SECTION_SCHEMAS, 'include'>
export type RawVirtualHost = z.output<typeof VIRTUAL_HOST_SCHEMA>
