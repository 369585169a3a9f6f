import { isDeepStrictEqual } from 'node:util'
import { panelNameOf } from '#handlers/domain/access/panel-name.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { HostChanges } from './workers/messages.ts'

export interface ConfigChanges extends HostChanges {
  /** Domains whose pages must go: hosts that are gone, suspended, or answer differently now. */
  purge: string[]
  /** Whether something other than virtual hosts changed, for which workers have to start anew. */
  settings: boolean
}

/** Fields without effect on the pages that are already stored. */
const withoutCertificates = (host: VirtualHostConfig): VirtualHostConfig => ({
  ...host,
  ssl_certificate: null,
  ssl_certificate_key: null,
})

/** The sections that workers are built from. */
const settingsOf = ({ server, panel, cache, ssl, php, paths }: ServerConfig): unknown => ({
  server,
  trusted_proxies: panel.trusted_proxies,
  panelName: panelNameOf({ panel }),
  cache,
  ssl,
  php,
  paths,
})

/** What a reload has to carry out. */
export const compareConfigs = (before: ServerConfig, after: ServerConfig): ConfigChanges => {
  const old = new Map(before.virtualhost.map((host) => [host.domain, host]))
  const put: VirtualHostConfig[] = []
  const purge: string[] = []
  for (const host of after.virtualhost) {
    const known = old.get(host.domain)
    old.delete(host.domain)
    if (known !== undefined && (known === host || isDeepStrictEqual(known, host))) continue
    put.push(host)
    // A new name may have been an alias of another host before.
    const answersDiffer =
      known === undefined ||
      !isDeepStrictEqual(withoutCertificates(known), withoutCertificates(host))
    if (answersDiffer) purge.push(host.domain, ...host.aliases, ...(known?.aliases ?? []))
  }
  const removed = [...old.keys()]
  for (const host of old.values()) purge.push(host.domain, ...host.aliases)
  const settings = !isDeepStrictEqual(settingsOf(before), settingsOf(after))
  return { put, removed, purge: [...new Set(purge)], settings }
}
