import { usualSiteSettings } from '../../site-settings/usual-settings.ts'
import type { PhpPoolConfig, ProxyRule, SiteGuard, VirtualHostConfig } from '../config-types.ts'
import { resolvePath } from '../paths.ts'
import { isTcpSocket } from './php-socket.ts'
import type { RawVirtualHost } from '../schema.ts'
import { PLAIN_TEXT } from './site-texts.ts'

/** Where an application is asked; one alone is no choice, but may be asked after its health. */
const completeUpstreams = (
  raw: NonNullable<RawVirtualHost['proxy']>,
): Pick<
  ProxyRule,
  'upstream' | 'upstreams' | 'back_off_secs' | 'health_path' | 'health_interval_secs'
> => {
  const upstream = raw.upstream ?? raw.upstreams?.[0]?.upstream ?? ''
  if (raw.upstreams === undefined) return { upstream }
  if (raw.upstreams.length === 1 && raw.health_path === undefined) return { upstream }
  return {
    upstream,
    upstreams: raw.upstreams.map((one) => ({ upstream: one.upstream, weight: one.weight ?? 1 })),
    back_off_secs: raw.back_off_secs ?? 10,
    ...(raw.health_path === undefined
      ? {}
      : {
          health_path: raw.health_path,
          health_interval_secs: raw.health_interval_secs ?? 5,
        }),
  }
}

/** An application with what it does not say. */
export const completeProxy = (raw: NonNullable<RawVirtualHost['proxy']>): ProxyRule => ({
  ...completeUpstreams(raw),
  paths: raw.paths ?? null,
  ...(raw.except === undefined ? {} : { except: raw.except }),
  ...(raw.replace_prefix === undefined ? {} : { replace_prefix: raw.replace_prefix }),
  connect_timeout_secs: raw.connect_timeout_secs ?? 5,
  timeout_secs: raw.timeout_secs ?? 60,
  keepalive_connections: raw.keepalive_connections ?? 32,
  preserve_host: raw.preserve_host ?? true,
  websocket: raw.websocket ?? true,
  websocket_idle_secs: raw.websocket_idle_secs ?? 600,
  verify_tls: raw.verify_tls ?? true,
  ...(raw.reach === undefined ? {} : { reach: raw.reach }),
  ...(raw.channel === undefined ? {} : { channel: raw.channel }),
  ...(raw.application === undefined ? {} : { application: raw.application }),
})

/** Settings of PHP of its own; nothing where it has none. */
export const completePool = (php: RawVirtualHost['php']): { pool?: PhpPoolConfig } => {
  const { max_children, memory_limit, ini } = php ?? {}
  if (max_children === undefined && memory_limit === undefined && ini === undefined) return {}
  return {
    pool: {
      max_children: max_children ?? null,
      memory_limit: memory_limit ?? null,
      ini: ini ?? {},
    },
  }
}

/** Texts with what they do not say. */
export const completeTexts = (
  texts: NonNullable<RawVirtualHost['texts']>,
): NonNullable<VirtualHostConfig['texts']> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, { status = 200, type = PLAIN_TEXT, body }]) => [
      name,
      { status, type, body },
    ]),
  )

/** What stands before the site's own rules, with what it does not say. */
export const completeGuard = (raw: NonNullable<RawVirtualHost['guard']>): SiteGuard => {
  const usual = usualSiteSettings()
  return {
    www: raw.www ?? usual.www,
    redirects: raw.redirects ?? usual.redirects,
    maintenance: raw.maintenance ?? usual.maintenance,
    allow: raw.allow ?? usual.allow,
    deny: raw.deny ?? usual.deny,
    hotlink: raw.hotlink ?? usual.hotlink,
    rate_limits: raw.rate_limits ?? usual.rate_limits,
    protected: raw.protected ?? usual.protected,
  }
}

/** A port stays as it is, a path is taken from the directory. */
export const socketOf = (socket: string | undefined, directory: string): string | null => {
  if (socket === undefined) return null
  return isTcpSocket(socket) ? socket : resolvePath(directory, socket)
}
