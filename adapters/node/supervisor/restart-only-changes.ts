import { isDeepStrictEqual } from 'node:util'
import type { ServerConfig } from '#handlers/domain/config-types.ts'

/** What processes read once, when they start. */
const fixed = (config: ServerConfig): Record<string, Readonly<Record<string, unknown>>> => {
  const { paths, panel, api, php, databases, server, cache, hooks, webhook } = config
  const { listen, listen_ssl } = server
  const { enable, l2_enabled, storage, disk_path, disk_limit, redis_url } = cache
  return {
    paths: { ...paths },
    panel: { ...panel },
    server: { listen, listen_ssl },
    api: { ...api },
    php: { ...php },
    databases: { ...databases },
    hooks: { ...hooks },
    webhook: { list: webhook },
    cache: { enable, l2_enabled, storage, disk_path, disk_limit, redis_url },
  }
}

/** Dotted keys that differ from what Berth was started with and that a reload does not change. */
export const restartOnlyChanges = (started: ServerConfig, now: ServerConfig): string[] => {
  const after = fixed(now)
  return Object.entries(fixed(started)).flatMap(([section, keys]) =>
    Object.entries(keys)
      .filter(([key, value]) => !isDeepStrictEqual(value, after[section]?.[key]))
      .map(([key]) => `${section}.${key}`),
  )
}
