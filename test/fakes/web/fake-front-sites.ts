import { createHash } from 'node:crypto'
import { canonicalJson } from '#handlers/domain/text/canonical-json.ts'
import { conflict } from '#handlers/errors.ts'
import type { FrontSite, FrontSitesPort } from '#handlers/ports/host/web/front-sites.ts'

export interface FakeFrontSites extends FrontSitesPort {
  /** By primary name. */
  sites: Map<string, FrontSite>
  /** `<domain> <version>`. */
  pairs: Set<string>
  /** Primary names of sites whose files were changed by hand. */
  changed: Set<string>
  loads: number
}

/** Sites of a front, held in memory. */
export const createFakeFrontSites = (): FakeFrontSites => {
  const sites = new Map<string, FrontSite>()
  const pairs = new Set<string>()
  const changed = new Set<string>()
  const edition = (): string =>
    createHash('sha256')
      .update([...sites.values()].map(canonicalJson).sort().join())
      .digest('hex')
  const port: FakeFrontSites = {
    ...{ sites, pairs, changed, loads: 0 },
    edition: async () => edition(),
    held: async () => ({ edition: edition(), sites: [...sites.values()], changed: [...changed] }),
    lacking: async ({ pairs: asked }) =>
      asked.filter(({ domain, version }) => !pairs.has(`${domain} ${version}`)),
    async keepPairs({ pairs: given }) {
      for (const { domain, version } of given) pairs.add(`${domain} ${version}`)
    },
    async apply({ since, put, remove }) {
      if (since !== edition()) throw conflict('This front has other sites.')
      for (const { domain, certificate } of put)
        if (certificate !== null && !pairs.has(`${domain} ${certificate}`))
          throw conflict(`The pair ${certificate} of ${domain} was not brought.`)
      for (const domain of remove) sites.delete(domain)
      for (const site of put) {
        sites.set(site.domain, structuredClone(site))
        changed.delete(site.domain)
      }
      port.loads += 1
      return { edition: edition() }
    },
  }
  return port
}
