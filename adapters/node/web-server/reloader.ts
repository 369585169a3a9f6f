import { isDeepStrictEqual } from 'node:util'
import type { ConfigProblem, ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { ConfigLoader } from '../config/config-loader.ts'
import { compareConfigs, type ConfigChanges } from './config-changes.ts'
import { ReloadError } from './control/control-app.ts'
import { certificateProblem } from './tls/check-certificate.ts'

/** One line per problem: `file:line: key: message`. */
export const describeProblems = (problems: readonly ConfigProblem[]): string =>
  problems
    .map(
      ({ file, line, key, message }) =>
        `${file}:${line}: ${key === '' ? '' : `${key}: `}${message}`,
    )
    .join('\n')

/** Settings that were fixed when this process started; a change waits for the next start. */
const keepFixed = (before: ServerConfig, after: ServerConfig, log: Log): ServerConfig => {
  const { listen, listen_ssl, front_listen } = before.server
  const { enable, l2_enabled, storage, disk_path, disk_limit, redis_url, when_alone } = before.cache
  const pages = { enable, l2_enabled, storage, disk_path, disk_limit, redis_url, when_alone }
  const kept: ServerConfig = {
    ...after,
    paths: before.paths,
    api: before.api,
    server: { ...after.server, listen, listen_ssl, front_listen },
    cache: { ...after.cache, ...pages },
  }
  const settings = (config: ServerConfig): unknown => [
    config.paths,
    config.api,
    config.server,
    config.cache,
  ]
  if (!isDeepStrictEqual(settings(kept), settings(after))) {
    log.warn('some changed settings take effect at the next start', {
      settings: '[paths], [api], [server] listen, listen_ssl and front_listen, [cache] storage',
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
    for (const host of changes.put) {
      const problem = certificateProblem(host)
      if (problem !== null) throw new ReloadError(problem)
    }
    return { config, changes }
  },
})
