import type { ProxyRule } from '../virtual-host-config.ts'
import type { ConfigPath } from '../locate.ts'

/** Every address that an application is asked at, with the keys below the application's own that say it. */
export const upstreamsOf = ({
  upstream,
  upstreams,
}: Pick<ProxyRule, 'upstream' | 'upstreams'>): { key: ConfigPath; upstream: string }[] =>
  upstreams === undefined
    ? [{ key: ['upstream'], upstream }]
    : upstreams.map((one, index) => ({
        key: ['upstreams', index, 'upstream'],
        upstream: one.upstream,
      }))
