import { wildcardOf } from '#handlers/domain/domains/wildcard-name.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

/** Finds the primary domain of the virtual host that answers to a name; null for none. */
export const createSiteNames = (config: () => ServerConfig): ((name: string) => string | null) => {
  let known: { config: ServerConfig; names: Map<string, string> } | null = null
  return (name) => {
    const now = config()
    if (known?.config !== now) {
      const names = new Map<string, string>()
      for (const { domain, aliases } of now.virtualhost)
        for (const one of [domain, ...aliases]) names.set(one, domain)
      known = { config: now, names }
    }
    return known.names.get(name) ?? known.names.get(wildcardOf(name)) ?? null
  }
}
