import type { ServerConfig } from '../config/config-types.ts'

/**
 * What should be the same in the configuration of all panels over one store, as JSON by the name of
 * the key: whichever of them has a duty does it by its own.
 */
export const sharedSettings = ({
  panel,
  backups,
  webhook,
  wordpress,
}: Pick<ServerConfig, 'panel' | 'backups' | 'webhook' | 'wordpress'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      'panel.tls': panel.tls,
      'panel.trusted_proxies': panel.trusted_proxies,
      'panel.database_tool_port': panel.database_tool_port,
      backups,
      webhook: webhook.map(({ url }) => url),
      wordpress,
    }).map(([key, value]) => [key, JSON.stringify(value)]),
  )

/** Keys that differ, in their order. */
export const differingSettings = (
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((key) => one[key] !== other[key])
    .toSorted()
