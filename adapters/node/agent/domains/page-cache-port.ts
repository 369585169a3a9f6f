import { notFound, unavailable } from '#handlers/errors.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import type { PageCachePort, SiteCacheInsight } from '#handlers/ports/host/cache/page-cache.ts'
import type { WebServerPort } from '#handlers/ports/host/web-server.ts'
import type { Registry } from '../registry/types.ts'
import { connectPageCache } from './page-cache-control.ts'

/** The page cache of generated sites, through the web primary's control socket. Other sites of the web server are not reached. */
export const createPageCachePort = (deps: {
  registry: Pick<Registry, 'vhost'>
  /** The web primary's control socket. */
  socketPath: string
  webServer: Pick<WebServerPort, 'purge'>
  /** Processor time of the account of a site; null where accounts share a user. */
  accountCpu(domain: string): SiteCacheInsight['account_cpu']
}): PageCachePort => {
  const control = connectPageCache(deps.socketPath)
  const checked = (domain: string): string => {
    const name = parseSiteName(domain)
    if (!deps.registry.vhost(name)) throw notFound(`${name} is no site of this panel.`)
    return name
  }
  return {
    report: () => control.report(),
    async insight({ domain }) {
      const name = checked(domain)
      const seen = await control.insight(name)
      return seen && { ...seen, account_cpu: deps.accountCpu(name) }
    },
    async purge({ domain, scope, cause }) {
      const name = checked(domain)
      const outcome = await control.purge(name, scope, cause)
      // What waits on the disk for the next start knows whole sites only.
      if (outcome === null) await deps.webServer.purge({ domains: [name] })
      return outcome
    },
    async forgetCookie({ domain, name }) {
      const outcome = await control.forgetCookie(checked(domain), name)
      if (outcome === null)
        throw unavailable('The web server does not run, so no cookie is forgotten.')
      return outcome
    },
    async warm(order) {
      const accepted = await control.warm({ ...order, domain: checked(order.domain) })
      if (accepted === null) throw unavailable('The web server does not run, so nothing is warmed.')
      return accepted
    },
    warmProgress: ({ batch }) => control.warmProgress(batch),
  }
}
