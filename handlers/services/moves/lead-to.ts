import { usualSiteSettings } from '../../domain/site-settings/usual-settings.ts'
import { parseLinkAddress } from '../../domain/hosts/link-address.ts'
import { LOCAL_HOST, type HostRow } from '../../ports/store/host-store.ts'
import type { VirtualHostSpec } from '../../ports/host/web-server.ts'

/** Where visitors reach a host: at the address of its link, the panel's own where it is said. Null: not known. */
export const addressOf = ({ id, address }: Pick<HostRow, 'id' | 'address'>): string | null =>
  id === LOCAL_HOST ? address || null : (parseLinkAddress(address)?.host ?? null)

/**
 * What answers for a site on the host that it was on: the host that it is on now, asked for it over
 * its public address (certificates there are not looked at: it is known by the address alone). Without
 * an address visitors are told to come again.
 */
export const leadTo = (spec: VirtualHostSpec, address: string | null): VirtualHostSpec => {
  const { application: _own, instances: _of, proxy: _other, ...host } = spec
  const scheme = spec.ssl === null ? 'http' : 'https'
  const settings = usualSiteSettings()
  return {
    ...host,
    php: null,
    cache: { enable: false, ttl: null, exclude: [] },
    site:
      address === null
        ? { ...settings, maintenance: { ...settings.maintenance, enabled: true } }
        : {
            ...settings,
            backends: [
              {
                path: '/',
                replace_prefix: null,
                application: null,
                servers: [
                  {
                    url: `${scheme}://${address.includes(':') ? `[${address}]` : address}`,
                    weight: 1,
                  },
                ],
                internal: true,
                health_path: null,
                preserve_host: true,
                websocket: true,
                verify_tls: false,
              },
            ],
          },
  }
}

/** A site as the host that it moves to has it, with the account's home and the certificate's files of there. */
export const atHome = (
  spec: VirtualHostSpec,
  home: { from: string; to: string },
  ssl: VirtualHostSpec['ssl'],
): VirtualHostSpec => ({
  ...spec,
  root: spec.root.startsWith(`${home.from}/`)
    ? `${home.to}${spec.root.slice(home.from.length)}`
    : spec.root,
  ssl,
  redirectHttps: ssl !== null && spec.redirectHttps,
})
