import { readFileSync } from 'node:fs'
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type {
  ConfigProblem,
  ServerConfig,
  VirtualHostConfig,
} from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { ConfigLoader } from '../config/config-loader.ts'
import { compareConfigs, type ConfigChanges } from './config-changes.ts'
import { ReloadError } from './control/control-app.ts'

/** One line per problem: `file:line: key: message`. */
export const describeProblems = (problems: readonly ConfigProblem[]): string =>
  problems
    .map(
      ({ file, line, key, message }) =>
        `${file}:${line}: ${key === '' ? '' : `${key}: `}${message}`,
    )
    .join('\n')

/** Throws `ReloadError` for a certificate that cannot be used. */
const checkCertificate = (host: VirtualHostConfig): void => {
  if (host.ssl_certificate === null) return
  try {
    if (host.ssl_certificate_key !== null) {
      createSecureContext({
        cert: readFileSync(host.ssl_certificate),
        key: readFileSync(host.ssl_certificate_key),
      })
    }
    new X509Certificate(readFileSync(host.ssl_certificate))
  } catch (error) {
    throw new ReloadError(
      `The certificate of ${host.domain} (${host.ssl_certificate}) cannot be used: ${error instanceof Error ? error.message : String(error)}. Replace certificate and key, or remove both keys from the virtual host.`,
    )
  }
}

/** Settings that were fixed when this process started; a change waits for the next start. */
const keepFixed = (before: ServerConfig, after: ServerConfig, log: Log): ServerConfig => {
  const { listen, listen_ssl } = before.server
  const { enable, l2_enabled, storage, disk_path, disk_limit, redis_url } = before.cache
  const kept: ServerConfig = {
    ...after,
    paths: before.paths,
    api: before.api,
    server: { ...after.server, listen, listen_ssl },
    cache: { ...after.cache, enable, l2_enabled, storage, disk_path, disk_limit, redis_url },
  }
  const settings = (config: ServerConfig): unknown => [
    config.paths,
    config.api,
    config.server,
    config.cache,
  ]
  if (!isDeepStrictEqual(settings(kept), settings(after))) {
    log.warn('some changed settings take effect at the next start', {
      settings: '[paths], [api], [server] listen and listen_ssl, [cache] storage',
    })
  }
  return kept
}

export interface Reloader {
  /** Loads and checks the files, and finds what changed. Throws `ReloadError`. */
  prepare(): Promise<{ config: ServerConfig; changes: ConfigChanges }>
}

/** Prepares reloads: nothing is changed before the whole new configuration was found good. */
export const createReloader = (
  loader: ConfigLoader,
  current: () => ServerConfig,
  log: Log,
): Reloader => ({
  prepare: async () => {
    const loaded = await loader.load()
    if (!loaded.ok) throw new ReloadError(describeProblems(loaded.problems))
    const before = current()
    const config = keepFixed(before, loaded.config, log)
    const changes = compareConfigs(before, config)
    for (const host of changes.put) checkCertificate(host)
    return { config, changes }
  },
})
