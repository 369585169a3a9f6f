import { siteLine } from '../../domain/fronts/site-line.ts'
import { isAppError } from '../../errors.ts'
import type { FrontSite, FrontSitesPort } from '../../ports/host/web/front-sites.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { within } from '../within.ts'
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
/** For so long a front that loads keeps the others waiting. */
const LOAD_MS = 10_000
/** In one round, for all pairs of one host: others lack theirs meanwhile. */
const PAIRS_MS = 15_000

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
    const byHost = Map.groupBy(lacking, ({ domain }) => owners.get(domain)?.hostId)
    /** Of one host alone: what it says that is no pair, or says late, keeps no other's from the front. */
    const copyFrom = async (hostId: number, named: typeof lacking): Promise<void> => {
      const untilMs = performance.now() + PAIRS_MS
      for (let first = 0; first < named.length; first += PAIRS_AT_ONCE) {
        const got: Parameters<FrontSitesPort['keepPairs']>[0]['pairs'] = []
        for (const { domain, version } of named.slice(first, first + PAIRS_AT_ONCE)) {
          const leftMs = untilMs - performance.now()
          const username = owners.get(domain)?.username
          if (username === undefined || leftMs <= 0) continue
          const { certificates } = host.of(hostId)
          const asked = certificates.pair({ username, domain, version })
          const pair = await within(leftMs, asked).catch((error: unknown) => {
            if (!isAppError(error)) throw error
            return null
          })
          if (pair !== null) got.push(pair)
        }
        await keep(got)
      }
    }
    const keep = async (
      pairs_: Parameters<FrontSitesPort['keepPairs']>[0]['pairs'],
    ): Promise<void> => {
      if (pairs_.length === 0) return
      try {
        await port.keepPairs({ pairs: pairs_ })
        for (const { domain } of pairs_) left.delete(domain)
      } catch (error) {
        if (!isAppError(error) || error.status >= 500) throw error
        if (pairs_.length === 1)
          log.warn('a front does not take a pair', {
            ...{ domain: pairs_[0]?.domain, error: error.message },
          })
        // One alone is refused: the others are brought without it.
        else for (const pair of pairs_) await keep([pair])
      }
    }
    await Promise.all(
      [...byHost].map(async ([hostId, named]) => {
        if (hostId !== undefined) await copyFrom(hostId, named)
      }),
    )
    return left
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
    let now = held
    const load = async (change: { put: FrontSite[]; remove: string[] }): Promise<void> => {
      const applied = port.apply.bind(port)
      let loading: ReturnType<typeof applied> | null = null
      await journal.exclusively(
        LOADING,
        async () => {
          loading = applied({ since: now.edition, ...change })
          await within(LOAD_MS, loading).catch(() => undefined)
        },
        () => 'leave',
        only !== undefined,
      )
      if (loading === null) return
      const { edition } = await (loading as ReturnType<typeof applied>)
      const sites = new Map(now.sites)
      for (const domain of change.remove) sites.delete(domain)
      for (const site of change.put) sites.set(site.domain, site)
      now = { edition, sites }
      seen.set(frontId, now)
    }
    if (put.length + remove.length === 0) return lacking.size === 0
    if (!apart) {
      await load({ put, remove })
      return lacking.size === 0
    }
    const ofHosts = Map.groupBy(put, ({ domain }) => wanted.get(domain)?.hostId)
    let failure: unknown = null
    for (const change of [
      { put: [], remove },
      ...[...ofHosts.values()].map((sites) => ({ put: sites, remove: [] })),
    ])
      if (change.put.length + change.remove.length > 0)
        await load(change).catch((error: unknown) => {
          if (!isAppError(error) || error.status >= 500) throw error
          failure ??= error
        })
    if (failure !== null) throw failure
    return lacking.size === 0
  }

  return async (frontId, wanted, bringing = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await bringOnce(frontId, await wanted(), bringing, attempt === ATTEMPTS)
      } catch (error) {
        seen.delete(frontId)
        // Another change was quicker, or what one machine says makes all of it wrong.
        if (!isAppError(error) || error.status >= 500 || attempt === ATTEMPTS) throw error
        log.info('a front is looked at anew', { front: frontId, reason: error.message })
      }
    }
  }
}
