import type { ProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'

/** `Host` of an address that is asked by its own name. */
export const authorityOf = (target: ProxyUpstream): string => {
  if (target.kind === 'unix') return 'localhost'
  const host = target.host.includes(':') ? `[${target.host}]` : target.host
  return target.port === (target.secure ? 443 : 80) ? host : `${host}:${target.port}`
}
