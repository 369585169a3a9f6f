import { parse as parseToml, TomlError } from 'smol-toml'
import { DEFAULT_CACHE_CONFIG } from '../../../edge-cache/config.ts'
import type { ConfigProblem, ServerConfig } from './config-types.ts'
import { completeMail } from './mail/mail-section.ts'
import { locateConfig, type ConfigPath } from './locate.ts'
import { completePaths, directoryOf, resolvePath, SYSTEM_STATE_DIRECTORY } from './paths.ts'
import { problemAt, problemsOf, unknownKeyMessage, type ConfigPlace } from './problems.ts'
import { checkMainFile, findDuplicates, type PlacedVirtualHost } from './rules.ts'
import { parseRemoteTargets } from './remote-target-parse.ts'
import { SECTION_SCHEMAS, type SectionName } from './schema.ts'
import { parseWebhooks } from './webhook-parse.ts'
import { usualToolPort } from './tool-port.ts'
import { parseVirtualHosts } from './vhost-config-parse.ts'

export { findDuplicates, type PlacedVirtualHost }

/** What may be written several times. */
const TABLES: readonly string[] = ['virtualhost', 'remote_target', 'webhook']

/** Where Debian's package puts it. */
const WORDPRESS_SOURCES = ['/usr/share/wordpress']
const WORDPRESS_CORES = ['/usr/local/share/wordpress-cores']
const WORDPRESS_DOWNLOADS = 'https://downloads.wordpress.org'
const WORDPRESS_API = 'https://api.wordpress.org'
const WORDPRESS_PACKAGES = ['/usr/local/share/wordpress-packages']
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

/** What one file gave. `hosts` are in the file's order. */
export interface ParsedFile {
  hosts: PlacedVirtualHost[]
  problems: ConfigProblem[]
}

/** TOML to a plain value, or the one problem that makes it unreadable. */
const readToml = (
  file: string,
  text: string,
): { document: Record<string, unknown>; place: ConfigPlace } | { problem: ConfigProblem } => {
  try {
    const document = parseToml(text)
    let lineOf: ((path: ConfigPath) => number) | null = null
    // Positions are needed only when something is wrong.
    const place = { file, lineOf: (path: ConfigPath) => (lineOf ??= locateConfig(text))(path) }
    return { document, place }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? ''
    return { problem: { file, line: error.line, key: '', message: `is not TOML: ${what}.` } }
  }
}

const placed = (tables: unknown, place: ConfigPlace): ParsedFile => {
  const { hosts, problems } = parseVirtualHosts(tables, place)
  return { hosts: hosts.map((entry) => ({ ...entry, place })), problems }
}

/** Parses a file named by `include`: virtual hosts and nothing else. */
export const parseIncludedFile = (file: string, text: string): ParsedFile => {
  const read = readToml(file, text)
  if ('problem' in read) return { hosts: [], problems: [read.problem] }
  const { virtualhost, ...rest } = read.document
  const strangers = Object.keys(rest).map((key) =>
    problemAt(
      read.place,
      [key],
      key in SECTION_SCHEMAS
        ? 'belongs into the main file; an included file holds only [[virtualhost]].'
        : unknownKeyMessage(key, ['virtualhost']),
    ),
  )
  const found =
    virtualhost === undefined ? { hosts: [], problems: [] } : placed(virtualhost, read.place)
  return { hosts: found.hosts, problems: [...strangers, ...found.problems] }
}

/** Outcome of the main file alone; `config.virtualhost` holds its own hosts only. */
export interface ParsedMainFile extends ParsedFile {
  config: ServerConfig
  place: ConfigPlace
}

/**
 * Parses `berth.toml`: every problem at once, each with file, line and dotted
 * key. The configuration is usable only when `problems` is empty; a section
 * with mistakes is filled with defaults so that the rest can still be checked.
 */
export const parseServerConfig = (input: {
  /** Absolute path. */
  file: string
  text: string
  /** Whose defaults: the system-wide installation's or a normal user's. */
  root: boolean
}): ParsedMainFile => {
  const { file, text, root } = input
  const directory = directoryOf(file)
  const read = readToml(file, text)
  const problems: ConfigProblem[] = 'problem' in read ? [read.problem] : []
  const document = 'problem' in read ? {} : read.document
  const place = 'problem' in read ? { file, lineOf: () => read.problem.line } : read.place

  for (const key of Object.keys(document))
    if (!Object.hasOwn(SECTION_SCHEMAS, key) && !TABLES.includes(key))
      problems.push(
        problemAt(
          place,
          [key],
          unknownKeyMessage(key, [...Object.keys(SECTION_SCHEMAS), ...TABLES]),
        ),
      )
  const section = <Name extends SectionName>(
    name: Name,
  ): ReturnType<(typeof SECTION_SCHEMAS)[Name]['parse']> | Record<string, never> => {
    const value = Object.hasOwn(document, name) ? document[name] : {}
    const schema = SECTION_SCHEMAS[name]
    const result = schema.safeParse(value)
    if (result.success) return result.data as ReturnType<(typeof SECTION_SCHEMAS)[Name]['parse']>
    problems.push(...problemsOf(result.error, schema, value, [name], place))
    return {}
  }
  const [panel, server, api, php, cache, ssl, applications, databases] = [
    section('panel'),
    section('server'),
    section('api'),
    section('php'),
    section('cache'),
    section('ssl'),
    section('applications'),
    section('databases'),
  ]
  const paths = completePaths(section('paths'), { root, directory })
  const path = (value: string | undefined): string | null =>
    value === undefined ? null : resolvePath(directory, value)

  let include = `${paths.vhosts_dir}/*.toml`
  if (Object.hasOwn(document, 'include')) {
    const result = SECTION_SCHEMAS.include.safeParse(document['include'])
    if (result.success) include = resolvePath(directory, result.data)
    else
      problems.push(
        ...problemsOf(
          result.error,
          SECTION_SCHEMAS.include,
          document['include'],
          ['include'],
          place,
        ),
      )
  }
  const own = Object.hasOwn(document, 'virtualhost')
    ? placed(document['virtualhost'], place)
    : { hosts: [], problems: [] }
  problems.push(...own.problems)
  const remote = Object.hasOwn(document, 'remote_target')
    ? parseRemoteTargets(document['remote_target'], place)
    : { targets: [], problems: [] }
  problems.push(...remote.problems)
  const told = Object.hasOwn(document, 'webhook')
    ? parseWebhooks(document['webhook'], place)
    : { webhooks: [], problems: [] }
  problems.push(...told.problems)
  const [backups, hooks, ssh] = [section('backups'), section('hooks'), section('ssh')]
  const {
    sources = WORDPRESS_SOURCES,
    cores = WORDPRESS_CORES,
    packages = WORDPRESS_PACKAGES,
    official = true,
    official_languages = [],
    official_downloads = WORDPRESS_DOWNLOADS,
    official_api = WORDPRESS_API,
    official_private = false,
  } = section('wordpress')

  const config: ServerConfig = {
    file,
    paths,
    panel: {
      listen: panel.listen ?? ['0.0.0.0:7070'],
      tls: panel.tls ?? 'off',
      tls_certificate: path(panel.tls_certificate),
      tls_certificate_key: path(panel.tls_certificate_key),
      acme_email: panel.acme_email ?? null,
      acme_directory: panel.acme_directory ?? LETS_ENCRYPT,
      acme_ca_file: path(panel.acme_ca_file),
      acme_eab_key_id: panel.acme_eab_key_id ?? null,
      acme_eab_key_file: path(panel.acme_eab_key_file),
      acme_fallback_directory: panel.acme_fallback_directory ?? null,
      acme_fallback_eab_key_id: panel.acme_fallback_eab_key_id ?? null,
      acme_fallback_eab_key_file: path(panel.acme_fallback_eab_key_file),
      setup_token_file: path(panel.setup_token_file),
      store: panel.store ?? null,
      store_password_file: path(panel.store_password_file),
      store_ca_file: path(panel.store_ca_file),
      license_file: path(panel.license_file),
      license_public_key_file: path(panel.license_public_key_file),
      trusted_proxies: panel.trusted_proxies ?? [],
      database_tool_port: panel.database_tool_port ?? 0,
    },
    server: {
      listen: server.listen ?? (root ? ['0.0.0.0:80', '[::]:80'] : ['0.0.0.0:8080', '[::]:8080']),
      listen_ssl:
        server.listen_ssl ?? (root ? ['0.0.0.0:443', '[::]:443'] : ['0.0.0.0:8443', '[::]:8443']),
      front_listen: server.front_listen ?? [],
      workers: server.workers ?? 0,
      keepalive_timeout: server.keepalive_timeout ?? 30,
      header_timeout: server.header_timeout ?? 30,
      request_timeout: server.request_timeout ?? 300,
      max_header_size: server.max_header_size ?? 16 * 2 ** 10,
      max_body_size: server.max_body_size ?? 256 * 2 ** 20,
      max_connections: server.max_connections ?? 20_000,
      max_connections_per_address: server.max_connections_per_address ?? 1000,
      access_log: server.access_log ?? true,
      worker_start_secs: server.worker_start_secs ?? 60,
      worker_stall_secs: server.worker_stall_secs ?? 5,
      compress: server.compress ?? true,
      default_host:
        server.default_host === undefined
          ? null
          : {
              status: server.default_host.status ?? null,
              redirect: server.default_host.redirect ?? null,
            },
    },
    api: { listen: api.listen ?? ['127.0.0.1:8090'] },
    link: {
      listen: section('link').listen ?? [],
      tunnel_group: section('link').tunnel_group ?? null,
    },
    php: {
      default_version: php.default_version ?? null,
      max_children: php.max_children ?? 10,
      memory_limit: php.memory_limit ?? '256M',
      idle_timeout: php.idle_timeout ?? 300,
      request_timeout: php.request_timeout ?? 300,
      lsphp_directory: path(php.lsphp_directory) ?? '/usr/local/lsws',
    },
    cache: {
      ...DEFAULT_CACHE_CONFIG,
      ...withoutUndefined(cache),
      disk_path: path(cache.disk_path),
    },
    ssl: {
      directory: path(ssl.directory) ?? `${paths.state_dir}/certs`,
      protocols: ssl.protocols ?? ['TLSv1.2', 'TLSv1.3'],
      allow_local_dns: ssl.allow_local_dns ?? false,
    },
    applications: { allow_local_sources: applications.allow_local_sources ?? false },
    databases: {
      mariadb: databases.mariadb ?? 'auto',
      mariadb_socket: path(databases.mariadb_socket) ?? '/run/mysqld/mysqld.sock',
      postgresql: databases.postgresql ?? 'auto',
      postgresql_socket: path(databases.postgresql_socket) ?? '/run/postgresql/.s.PGSQL.5432',
      mariadb_remote: databases.mariadb_remote ?? false,
      postgresql_remote: databases.postgresql_remote ?? false,
    },
    backups: {
      schedule: backups.schedule ?? null,
      retention_days: backups.retention_days ?? 30,
      at_once: backups.at_once ?? 1,
      allow_local_targets: backups.allow_local_targets ?? false,
    },
    remote_target: remote.targets,
    ssh: {
      sftp: ssh.sftp ?? (root && paths.state_dir === SYSTEM_STATE_DIRECTORY),
      port: ssh.port ?? 0,
      host: ssh.host ?? null,
      config_file: path(ssh.config_file) ?? '/etc/ssh/sshd_config',
    },
    mail: completeMail(section('mail'), path),
    wordpress: {
      sources: sources.map((source) => resolvePath(directory, source)),
      cores: cores.map((place) => resolvePath(directory, place)),
      ...{ official, official_languages, official_downloads, official_api, official_private },
      packages: packages.map((place) => resolvePath(directory, place)),
    },
    hooks: {
      directory: path(hooks.directory) ?? resolvePath(directory, 'hooks.d'),
      run_as: hooks.run_as ?? 'berth',
      timeout: hooks.timeout ?? 30,
      at_once: hooks.at_once ?? 4,
    },
    webhook: told.webhooks,
    virtualhost: own.hosts.map(({ host }) => host),
    include,
  }
  if (panel.database_tool_port === undefined)
    config.panel.database_tool_port = usualToolPort(config)
  problems.push(...checkMainFile(config, place))
  return { config, place, hosts: own.hosts, problems }
}

const withoutUndefined = <T extends object>(
  value: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
