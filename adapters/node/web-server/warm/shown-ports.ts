import { parseHost } from '#handlers/sites/names/request-host.ts'
import { portInKey } from '#handlers/sites/names/shown-host.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'

/** How many requests the other way it takes at most until that is the usual one. */
const MOST = 16

/**
 * Whether visitors name the port of a listener that is not the usual one of its scheme.
 * They do where they reach it themselves, and do not where something before it maps
 * the usual port to it, which no configuration tells. Pages of either have addresses of
 * their own, so it must be known for those that are made before visitors ask.
 */
export interface ShownPorts {
  /** The same handler, whose requests are looked at. */
  watch(site: SiteHandler): SiteHandler
  /** Default, while nobody asked: they do not. */
  isShown(this: void, secure: boolean): boolean
}

export const createShownPorts = (): ShownPorts => {
  /** Above 0: more named it lately than did not. */
  const seen = { http: 0, https: 0 }
  return {
    watch: (site) => (request, context) => {
      const asked = parseHost(request.headers.get('host') ?? '')?.port ?? null
      const { secure, serverPort } = context
      if (serverPort !== (secure ? 443 : 80)) {
        const scheme = secure ? 'https' : 'http'
        const step = portInKey(asked, context) === '' ? -1 : 1
        seen[scheme] = Math.max(-MOST, Math.min(MOST, seen[scheme] + step))
      }
      return site(request, context)
    },
    isShown: (secure) => seen[secure ? 'https' : 'http'] > 0,
  }
}
