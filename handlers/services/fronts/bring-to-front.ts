import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { isAppError, type AppError } from '../../errors.ts'
import type { FrontSite, FrontSitesPort } from '../../ports/host/web/front-sites.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { within } from '../within.ts'
import { copyPairs } from './copy-pairs.ts'
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

/** Brings one front what it lacks; `wanted` reads the records, each time that it is tried. Answers whether it has all now. */
export type BringToFront = (
  frontId: number,
  wanted: (isFirst: boolean) => Promise<ReadonlyMap<string, WantedSite>>,
  bringing?: Bringing,
) => Promise<boolean>

/** Fronts load what they are told one after the other: never are all new at once. */
const LOADING = 'fronts:load'
const ATTEMPTS = 3
/** For so long a front that loads keeps the others waiting. */
const LOAD_MS = 10_000

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

  /** Carries out one change, and knows what the front has after it. */
  const load = async (
    frontId: number,
    held: Held,
    change: { put: FrontSite[]; remove: string[] },
    urgent: boolean,
  ): Promise<Held> => {
    const port = host.of(frontId).frontSites
    const { loading } = await journal.exclusively(
      LOADING,
      async () => {
        const begun = port.apply({ since: held.edition, ...change })
        await within(LOAD_MS, begun).catch(() => undefined)
        return { loading: begun }
      },
      () => 'leave',
      urgent,
    )
    const { edition } = await loading
    const sites = new Map(held.sites)
    for (const domain of change.remove) sites.delete(domain)
    for (const site of change.put) sites.set(site.domain, site)
    const now = { edition, sites }
    seen.set(frontId, now)
    return now
  }

  const bringOnce = async (
    frontId: number,
    wanted: ReadonlyMap<string, WantedSite>,
    { only, anew = false }: Bringing,
    /** Sites of each host by themselves: those of one that are refused keep no others' away. */
    apart: boolean,
  ): Promise<boolean> => {
    const port = host.of(frontId).frontSites
    const held = await look(frontId, port)
    const changed = anew ? new Set((await port.held()).changed) : new Set<string>()
    const isOther = (site: FrontSite): boolean => {
      const there = held.sites.get(site.domain)
      return (
        there === undefined ||
        changed.has(site.domain) ||
        canonicalJson(there) !== canonicalJson(site)
      )
    }
    const isMeant = (domain: string): boolean => only === undefined || only.has(domain)
    const differing = [...wanted.values()].filter(
      ({ site }) => isMeant(site.domain) && isOther(site),
    )
    const remove = [...held.sites.keys()].filter((one) => isMeant(one) && !wanted.has(one))
    const lacking =
      only === undefined
        ? await copyPairs(deps, port, differing)
        : new Set(differing.map(({ site }) => site.domain))
    /** Without its pair a site goes on with the one that it has there. */
    const put = differing
      .map(({ site }): FrontSite => {
        if (!lacking.has(site.domain)) return site
        const certificate = held.sites.get(site.domain)?.certificate ?? null
        return {
          ...site,
          certificate,
          redirectHttps: site.redirectHttps && certificate !== null,
        }
      })
      .filter(isOther)
    const changes = apart
      ? [
          { put: [], remove },
          ...[...Map.groupBy(put, ({ domain }) => wanted.get(domain)?.hostId).values()].map(
            (sites) => ({ put: sites, remove: [] }),
          ),
        ]
      : [{ put, remove }]
    let now = held
    let failure: AppError | null = null
    for (const change of changes) {
      if (change.put.length + change.remove.length === 0) continue
      try {
        now = await load(frontId, now, change, only !== undefined)
      } catch (error) {
        if (!apart || !isAppError(error) || error.status >= 500) throw error
        failure ??= error
      }
    }
    if (failure !== null) throw failure
    return lacking.size === 0
  }

  return async (frontId, wanted, bringing = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await bringOnce(frontId, await wanted(attempt === 1), bringing, attempt === ATTEMPTS)
      } catch (error) {
        seen.delete(frontId)
        // Another change was quicker, or what one machine says makes all of it wrong.
        if (!isAppError(error) || error.status >= 500 || attempt === ATTEMPTS) throw error
        log.info('a front is looked at anew', { front: frontId, reason: error.message })
      }
    }
  }
}
