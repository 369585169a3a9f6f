import { siteLine } from '../../domain/fronts/site-line.ts'
import { isAppError } from '../../errors.ts'
import type { FrontSite, FrontSitesPort } from '../../ports/host/web/front-sites.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { WantedSite } from './wanted-sites.ts'

type Deps = Pick<ServiceDeps, 'host' | 'log'> & { journal: Pick<Journal, 'exclusively'> }

/** What a front was seen to have. */
interface Held {
  edition: string
  sites: Map<string, FrontSite>
}

/** What of it is brought, and how. */
export interface Bringing {
  /** Of these names alone, without fetching pairs, before what waits. Default: of all. */
  only?: ReadonlySet<string>
  /** Whether files that were changed by hand are written anew. */
  anew?: boolean
}

/** Brings one front what it lacks; `wanted` reads the records. Answers whether it has all now. */
export type BringToFront = (
  frontId: number,
  wanted: () => Promise<ReadonlyMap<string, WantedSite>>,
  bringing?: Bringing,
) => Promise<boolean>

/** Fronts load what they are told one after the other: never are all new at once. */
const LOADING = 'fronts:load'
const PAIRS_AT_ONCE = 50
const ATTEMPTS = 3

export const createBringToFront = (deps: Deps): BringToFront => {
  const { host, journal, log } = deps
  /** What each front had when it was looked at last, by its id. */
  const seen = new Map<number, Held>()

  const look = async (frontId: number, port: FrontSitesPort): Promise<Held> => {
    const known = seen.get(frontId)
    if (known !== undefined && known.edition === (await port.edition())) return known
    const { edition, sites } = await port.held()
    const held = { edition, sites: new Map(sites.map((site) => [site.domain, site])) }
    seen.set(frontId, held)
    return held
  }

  /** Copies the pairs that the front lacks from the hosts that have them; answers the domains of those that it lacks still. */
  const copyPairs = async (
    port: FrontSitesPort,
    put: readonly WantedSite[],
  ): Promise<Set<string>> => {
    const pairs = put.flatMap(({ site: { domain, certificate } }) =>
      certificate === null ? [] : [{ domain, version: certificate }],
    )
    const lacking = pairs.length === 0 ? [] : await port.lacking({ pairs })
    const owners = new Map(put.map((one) => [one.site.domain, one]))
    const left = new Set(lacking.map(({ domain }) => domain))
    for (let first = 0; first < lacking.length; first += PAIRS_AT_ONCE) {
      const got: Parameters<FrontSitesPort['keepPairs']>[0]['pairs'] = []
      for (const { domain, version } of lacking.slice(first, first + PAIRS_AT_ONCE)) {
        const owner = owners.get(domain)
        if (owner === undefined) continue
        const { certificates } = host.of(owner.hostId)
        const pair = await certificates
          .pair({ username: owner.username, domain, version })
          .catch((error: unknown) => {
            if (!isAppError(error)) throw error
            return null
          })
        if (pair !== null) got.push(pair)
      }
      if (got.length === 0) continue
      await port.keepPairs({ pairs: got })
      for (const { domain } of got) left.delete(domain)
    }
    return left
  }

  const bringOnce = async (
    frontId: number,
    wanted: ReadonlyMap<string, WantedSite>,
    { only, anew = false }: Bringing,
  ): Promise<boolean> => {
    const port = host.of(frontId).frontSites
    const held = await look(frontId, port)
    const changed = anew ? new Set((await port.held()).changed) : new Set<string>()
    const differs = ({ site }: WantedSite): boolean => {
      const there = held.sites.get(site.domain)
      return there === undefined || changed.has(site.domain) || siteLine(there) !== siteLine(site)
    }
    const isMeant = (domain: string): boolean => only === undefined || only.has(domain)
    const differing = [...wanted.values()].filter((one) => isMeant(one.site.domain) && differs(one))
    const remove = [...held.sites.keys()].filter((one) => isMeant(one) && !wanted.has(one))
    const lacking =
      only === undefined
        ? await copyPairs(port, differing)
        : new Set(differing.map(({ site }) => site.domain))
    /** Without its pair a site goes on with the one that it has there. */
    const put = differing
      .map(({ site }): FrontSite => {
        if (!lacking.has(site.domain)) return site
        const before = held.sites.get(site.domain)?.certificate ?? null
        return {
          ...site,
          certificate: before,
          redirectHttps: site.redirectHttps && before !== null,
        }
      })
      .filter((site) => {
        const there = held.sites.get(site.domain)
        return there === undefined || changed.has(site.domain) || siteLine(there) !== siteLine(site)
      })
    if (put.length + remove.length > 0) {
      const { edition } = await journal.exclusively(
        LOADING,
        () => port.apply({ since: held.edition, put, remove }),
        () => 'leave',
        only !== undefined,
      )
      const sites = new Map(held.sites)
      for (const domain of remove) sites.delete(domain)
      for (const site of put) sites.set(site.domain, site)
      seen.set(frontId, { edition, sites })
    }
    return lacking.size === 0
  }

  return async (frontId, wanted, bringing = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await bringOnce(frontId, await wanted(), bringing)
      } catch (error) {
        seen.delete(frontId)
        // Another change was quicker.
        if (!isAppError(error) || error.status !== 409 || attempt === ATTEMPTS) throw error
        log.info('a front is looked at anew', { front: frontId, reason: error.message })
      }
    }
  }
}
