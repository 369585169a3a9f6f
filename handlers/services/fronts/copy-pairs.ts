import { isAppError } from '../../errors.ts'
import type { CertificatePair, FrontSitesPort, PairName } from '../../ports/host/web/front-sites.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { within } from '../within.ts'
import type { WantedSite } from './wanted-sites.ts'

const PAIRS_AT_ONCE = 50
/** In one round, for all pairs of one host: others lack theirs meanwhile. */
const PAIRS_MS = 15_000

/**
 * Copies the pairs of sites that a front lacks from the hosts that have them; answers the domains of those that it
 * lacks still. What one host says that is no pair, or says late, keeps no other's from the front.
 */
export const copyPairs = async (
  { host, log }: Pick<ServiceDeps, 'host' | 'log'>,
  port: FrontSitesPort,
  sites: readonly WantedSite[],
): Promise<Set<string>> => {
  const pairs = sites.flatMap(({ site: { domain, certificate } }) =>
    certificate === null ? [] : [{ domain, version: certificate }],
  )
  const lacking = pairs.length === 0 ? [] : await port.lacking({ pairs })
  const owners = new Map(sites.map((one) => [one.site.domain, one]))
  const left = new Set(lacking.map(({ domain }) => domain))

  const keep = async (given: (PairName & CertificatePair)[]): Promise<void> => {
    if (given.length === 0) return
    try {
      await port.keepPairs({ pairs: given })
      for (const { domain } of given) left.delete(domain)
    } catch (error) {
      if (!isAppError(error) || error.status >= 500) throw error
      if (given.length === 1)
        log.warn('a front does not take a pair', {
          ...{ domain: given[0]?.domain, error: error.message },
        })
      // One alone is refused: the others are brought without it.
      else for (const pair of given) await keep([pair])
    }
  }
  const copyFrom = async (hostId: number, named: readonly PairName[]): Promise<void> => {
    const untilMs = performance.now() + PAIRS_MS
    const { certificates } = host.of(hostId)
    for (let first = 0; first < named.length; first += PAIRS_AT_ONCE) {
      const got: (PairName & CertificatePair)[] = []
      for (const { domain, version } of named.slice(first, first + PAIRS_AT_ONCE)) {
        const leftMs = untilMs - performance.now()
        const username = owners.get(domain)?.username
        if (username === undefined || leftMs <= 0) continue
        const pair = await within(leftMs, certificates.pair({ username, domain, version })).catch(
          (error: unknown) => {
            if (!isAppError(error)) throw error
            return null
          },
        )
        if (pair !== null) got.push(pair)
      }
      await keep(got)
    }
  }
  const byHost = Map.groupBy(lacking, ({ domain }) => owners.get(domain)?.hostId)
  await Promise.all(
    [...byHost].map(async ([hostId, named]) => {
      if (hostId !== undefined) await copyFrom(hostId, named)
    }),
  )
  return left
}
