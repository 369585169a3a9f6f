import { z } from 'zod'
import { LOCALE_NAME } from '../wordpress/read-official.ts'
import { LINK_PORT } from '../hosts/link-address.ts'
import { parseListenAddress } from './listen.ts'
import { MAIL_SCHEMA } from './mail/mail-section.ts'
import {
  hostName,
  phpChildren,
  phpMemory,
  phpVersion,
  queryParameter,
  size,
  sizeBytes,
  text,
  whole,
} from './values.ts'

/** What browsers send fits in 1 KiB only without cookies; beyond 1 MiB a head is an attack. */
const MIN_HEAD_BYTES = 1024
const MAX_HEAD_BYTES = 2 ** 20
const FIRST_FREE_PORT = 1024
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
/** A place that is fetched from; without TLS only where it may lie nearby. */
const webAddress = text.refine(
  (value) => URL.canParse(value) && /^https?:\/\/[^?#@]+$/.test(value) && value.length <= 500,
  'is not an address. Write "https://mirror.example/wordpress", without a password or question in it.',
)
const cidr = text.refine(
  (value) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(value),
  'is not an address block. Write "10.0.0.0/8", "2001:db8::/32" or one address.',
)
/** What names that no virtual host has are answered with. */
const defaultHost = z
  .strictObject({
    status: z.literal([403, 404, 410, 421, 503]).optional(),
    redirect: text
      .refine(
        (value) => /^https?:\/\//.test(value) && URL.canParse(value),
        'is not an address. Write "https://example.com/".',
      )
      .optional(),
  })
  .refine(
    ({ status, redirect }) => (status === undefined) !== (redirect === undefined),
    'needs either status (403, 404, 410, 421, 503) or redirect, an address.',
  )
const acmeDirectory = text.refine(
  (value) => URL.canParse(value) && new URL(value).protocol === 'https:',
  'is not an https URL. Write "https://acme-v02.api.letsencrypt.org/directory".',
)
const PANEL_TLS =
  'must be "off", "self-signed" or the name under which the panel is reached, such as "panel.example.com".'

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
    acme_directory: acmeDirectory.optional(),
    acme_ca_file: text.optional(),
    acme_eab_key_id: text.optional(),
    acme_eab_key_file: text.optional(),
    acme_fallback_directory: acmeDirectory.optional(),
    acme_fallback_eab_key_id: text.optional(),
    acme_fallback_eab_key_file: text.optional(),
    tls: z
      .union([
        z.enum(['off', 'self-signed']),
        hostName.refine((name) => name.includes('.'), PANEL_TLS),
      ])
      .optional(),
    tls_certificate: text.optional(),
    tls_certificate_key: text.optional(),
    setup_token_file: text.optional(),
    store: text.optional(),
    store_password_file: text.optional(),
    store_ca_file: text.optional(),
    license_file: text.optional(),
    license_public_key_file: text.optional(),
    trusted_proxies: z.array(cidr).optional(),
    database_tool_port: whole(0, 65_535).optional(),
  }),
  server: z.strictObject({
    listen: listen.optional(),
    listen_ssl: listen.optional(),
    front_listen: listen.optional(),
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
    worker_start_secs: whole(10, 3600).optional(),
    worker_stall_secs: whole(3, 3600).optional(),
    compress: z.boolean().optional(),
    default_host: defaultHost.optional(),
  }),
  api: z.strictObject({ listen: loopback.optional() }),
  link: z.strictObject({
    listen: listen
      .superRefine((list, context) => {
        for (const entry of list) {
          const address = parseListenAddress(entry)
          if (address !== null && address.port > 0 && address.port < FIRST_FREE_PORT)
            context.addIssue({
              code: 'custom',
              message: `"${entry}" is a port of root's, and the link does not run as root. Use one above 1023, such as ${LINK_PORT}.`,
            })
        }
      })
      .optional(),
    tunnel_group: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be the name of a group of this machine')
      .optional(),
  }),
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
    when_alone: z.enum(['serve', 'strict']).optional(),
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
    allow_local_dns: z.boolean().optional(),
  }),
  applications: z.strictObject({
    allow_local_sources: z.boolean().optional(),
  }),
  databases: z.strictObject({
    mariadb: z.enum(['auto', 'managed', 'system', 'off']).optional(),
    mariadb_socket: text.optional(),
    postgresql: z.enum(['auto', 'managed', 'system', 'off']).optional(),
    postgresql_socket: text
      .regex(/(^|\/)\.s\.PGSQL\.\d{1,5}$/, 'must be a socket named ".s.PGSQL." and its port.')
      .optional(),
    mariadb_remote: z.boolean().optional(),
    postgresql_remote: z.boolean().optional(),
  }),
  backups: z.strictObject({
    schedule: whole(0, 23).optional(),
    retention_days: whole(1, 3650).optional(),
    at_once: whole(1, 32).optional(),
    allow_local_targets: z.boolean().optional(),
  }),
  ssh: z.strictObject({
    sftp: z.boolean().optional(),
    port: whole(0, 65_535).optional(),
    host: hostName.optional(),
    config_file: text.optional(),
  }),
  mail: MAIL_SCHEMA,
  wordpress: z
    .strictObject({
      sources: z.array(text).max(20).optional(),
      cores: z.array(text).max(20).optional(),
      official: z.boolean().optional(),
      official_languages: z
        .array(
          text.regex(
            LOCALE_NAME,
            'is not a language as WordPress calls it. Write one such as "de_DE".',
          ),
        )
        .max(20)
        .optional(),
      official_downloads: webAddress.optional(),
      official_api: webAddress.optional(),
      official_private: z.boolean().optional(),
      packages: z.array(text).max(20).optional(),
    })
    .superRefine((section, context) => {
      if (section.official_private === true) return
      for (const key of ['official_downloads', 'official_api'] as const)
        if (section[key]?.startsWith('http://') === true)
          context.addIssue({
            code: 'custom',
            path: [key],
            message:
              'must begin with https://. A mirror in a network of your own may do without: official_private = true.',
          })
    }),
  hooks: z.strictObject({
    directory: text.optional(),
    run_as: text
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'is not the name of a user. Write "berth" or "nobody".')
      .optional(),
    timeout: whole(1, 600).optional(),
    at_once: whole(1, 32).optional(),
  }),
  include: text.regex(
    /^[^*]*(\*[^*/]*)?$/,
    'may hold one "*", in its last part, as in "sites.d/*.toml".',
  ),
} as const
