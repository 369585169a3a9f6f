import type { SiteBackend } from '../../../ports/host/site-settings.ts'

/** The same in one spelling: addresses as `URL.origin` has them, and nothing that means nothing. */
export const tidyBackend = (backend: SiteBackend): SiteBackend => {
  const { path, replace_prefix: to, application, websocket } = backend
  const replace_prefix = to === path ? null : to
  if (application !== null)
    return {
      ...{ path, replace_prefix, application, servers: [], internal: false, health_path: null },
      ...{ preserve_host: true, websocket, verify_tls: true },
    }
  const alone = backend.servers.length === 1
  const servers = backend.servers.map(({ url, weight }) => ({
    url: new URL(url).origin,
    weight: alone ? 1 : weight,
  }))
  return { ...backend, replace_prefix, servers }
}
