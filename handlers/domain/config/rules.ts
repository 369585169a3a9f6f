import type { ConfigProblem, ServerConfig, VirtualHostConfig } from './config-types.ts'
import { redisUrlProblem } from './redis-url.ts'
import { parseListenAddress } from './listen.ts'
import type { ConfigPath } from './locate.ts'
import { RUN_DIR_MAX_BYTES } from './paths.ts'
import { problemAt, type ConfigPlace } from './problems.ts'
import { parseStoreUrl } from './store-url.ts'
import { listenPorts } from './tool-port.ts'

/** A virtual host and where it was written, for messages about pairs of them. */
export interface PlacedVirtualHost {
  host: VirtualHostConfig
  at: ConfigPath
  place: ConfigPlace
}

/** What two virtual hosts claim: names, and to answer at unknown ones. Each is reported where it stands the second time. */
export const findDuplicates = (hosts: readonly PlacedVirtualHost[]): ConfigProblem[] => {
  const seen = new Map<string, PlacedVirtualHost>()
  const problems: ConfigProblem[] = []
  let fallback: PlacedVirtualHost | null = null
  for (const entry of hosts) {
    if (entry.host.default_host === true) {
      if (fallback !== null)
        problems.push(
          problemAt(
            entry.place,
            [...entry.at, 'default_host'],
            `is set for "${fallback.host.domain}" as well (${fallback.place.file}:${fallback.place.lineOf(fallback.at)}). One virtual host answers at unknown names: remove one of them.`,
          ),
        )
      fallback = entry
    }
    const names: [string, ConfigPath][] = [[entry.host.domain, [...entry.at, 'domain']]]
    for (const alias of entry.host.aliases)
      if (alias !== entry.host.domain) names.push([alias, [...entry.at, 'aliases']])
    for (const [name, path] of names) {
      const first = seen.get(name)
      if (first === undefined) {
        seen.set(name, entry)
        continue
      }
      const line = first.place.lineOf(first.at)
      problems.push(
        problemAt(
          entry.place,
          path,
          `"${name}" is already taken by the virtual host "${first.host.domain}" (${first.place.file}:${line}). Remove one of them.`,
        ),
      )
    }
  }
  return problems
}

/** Rules between keys of the main file's sections. */
export const checkMainFile = (config: ServerConfig, place: ConfigPlace): ConfigProblem[] => {
  const problems: ConfigProblem[] = []
  const { cache, paths } = config
  if (cache.storage === 'disk' && cache.disk_path === null)
    problems.push(
      problemAt(
        place,
        ['cache', 'disk_path'],
        `is missing. storage = "disk" needs a directory, such as "${paths.state_dir}/cache".`,
      ),
    )
  if (cache.storage === 'redis' && cache.redis_url === null)
    problems.push(
      problemAt(
        place,
        ['cache', 'redis_url'],
        'is missing. storage = "redis" needs the URL of a server.',
      ),
    )
  const redisProblem = cache.redis_url === null ? null : redisUrlProblem(cache.redis_url)
  if (redisProblem !== null && (cache.storage === 'redis' || /not a Redis URL/.test(redisProblem)))
    problems.push(problemAt(place, ['cache', 'redis_url'], redisProblem))
  const { panel, mail } = config
  if (config.databases.postgresql_remote && config.databases.postgresql === 'system')
    problems.push(
      problemAt(
        place,
        ['databases', 'postgresql_remote'],
        'is for a server of Berth’s own: who reaches the system’s PostgreSQL, its own pg_hba.conf says. Set it to false, or postgresql to "managed".',
      ),
    )
  for (const [key, other] of [
    ['username', 'password_file'],
    ['password_file', 'username'],
  ] as const)
    if (mail[key] !== null && mail[other] === null)
      problems.push(
        problemAt(place, ['mail', other], `is missing. ${key} is of no use without it.`),
      )
  for (const [key, other] of [
    ['tls_certificate', 'tls_certificate_key'],
    ['tls_certificate_key', 'tls_certificate'],
    ['acme_eab_key_id', 'acme_eab_key_file'],
    ['acme_eab_key_file', 'acme_eab_key_id'],
    ['acme_fallback_eab_key_id', 'acme_fallback_eab_key_file'],
    ['acme_fallback_eab_key_file', 'acme_fallback_eab_key_id'],
    ['acme_fallback_eab_key_id', 'acme_fallback_directory'],
    ['store_password_file', 'store'],
    ['store_ca_file', 'store'],
  ] as const) {
    if (panel[key] === null || panel[other] !== null) continue
    const message = `is missing. ${key} is of no use without it.`
    problems.push(problemAt(place, ['panel', other], message))
  }
  if (panel.store !== null) {
    const address = parseStoreUrl(panel.store)
    if (typeof address === 'string') problems.push(problemAt(place, ['panel', 'store'], address))
    else if (panel.store_ca_file !== null && !address.tls)
      problems.push(
        problemAt(
          place,
          ['panel', 'store_ca_file'],
          'is of no use where store does not say "?sslmode=verify-full".',
        ),
      )
  }
  if (new TextEncoder().encode(paths.run_dir).length > RUN_DIR_MAX_BYTES)
    problems.push(
      problemAt(
        place,
        ['paths', 'run_dir'],
        `"${paths.run_dir}" is too long: unix sockets below it would not fit. Choose a path of at most ${RUN_DIR_MAX_BYTES} bytes.`,
      ),
    )
  const claimed = new Map<string, string>()
  const lists: [string, string, string[]][] = [
    ['panel', 'listen', config.panel.listen],
    ['server', 'listen', config.server.listen],
    ['server', 'listen_ssl', config.server.listen_ssl],
    ['server', 'front_listen', config.server.front_listen],
    ['api', 'listen', config.api.listen],
    ['link', 'listen', config.link.listen],
  ]
  for (const [table, key, entries] of lists)
    for (const entry of entries) {
      const address = parseListenAddress(entry)
      if (address === null || address.port === 0) continue
      const id = `${address.host} ${address.port}`
      const first = claimed.get(id)
      if (first !== undefined)
        problems.push(
          problemAt(
            place,
            [table, key],
            `"${entry}" is already used by ${first}. Choose another port.`,
          ),
        )
      else claimed.set(id, `${table}.${key}`)
    }
  const tool = config.panel.database_tool_port
  if (tool !== 0 && listenPorts(config).has(tool))
    problems.push(
      problemAt(
        place,
        ['panel', 'database_tool_port'],
        `${tool} is a port that Berth itself listens at. Choose another one.`,
      ),
    )
  return problems
}
