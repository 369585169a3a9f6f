import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import { panelNameOf } from '#handlers/domain/access/panel-name.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'
import type { PlacedConfig } from '../config-loader.ts'

/** Virtual hosts that claim the name of the panel, at which no site is served. */
export const panelNameSuspicions = ({ config, hosts }: PlacedConfig): ConfigProblem[] => {
  const name = panelNameOf(config)
  if (name === null) return []
  return hosts.flatMap(({ host, at, place }) => {
    const isDomain = host.domain === name
    if (!isDomain && !host.aliases.includes(name)) return []
    const key = [...at, isDomain ? 'domain' : 'aliases']
    const message = `${name} is the panel's own name by [panel] tls, so no site answers there. Use another name for one of the two.`
    return [problemAt(place, key, message)]
  })
}
