import { z } from 'zod'
import { domain, nothing, operationId, pem, siteCache, text } from '../argument-shapes.ts'
import { linkCertificate, linkId } from '../link/trust-list.ts'
import type { ArgumentTable } from './argument-table.ts'

const MOST_SITES = 100_000
/** Of one call, which stays below what a body may have. */
const MOST_PAIRS = 200
const MOST_MACHINES = 1000

const pairName = { domain, version: operationId }
/** A site as a front has it. */
export const frontSite = z.object({
  domain,
  aliases: z.array(domain).max(1000),
  suspended: z.boolean(),
  overBandwidth: z.boolean(),
  certificate: operationId.nullable(),
  redirectHttps: z.boolean(),
  defaultHost: z.literal(true).exactOptional(),
  cache: siteCache,
  origin: z.object({ address: text(300), channel: linkId }),
})
export const channelPeer = z.object({ id: linkId, certificate: linkCertificate })
const channelRole = z.enum(['host', 'front'])

/** Shapes of the arguments of methods about fronts, by port and method. */
export const FRONTS_ARGUMENTS: Pick<ArgumentTable, 'frontSites' | 'webChannel'> = {
  frontSites: {
    edition: nothing,
    held: nothing,
    lacking: z.object({ pairs: z.array(z.object(pairName)).max(MOST_SITES) }),
    keepPairs: z.object({
      pairs: z.array(z.object({ ...pairName, certificate: pem, key: pem })).max(MOST_PAIRS),
    }),
    apply: z.object({
      since: text(64),
      put: z.array(frontSite).max(MOST_SITES),
      remove: z.array(domain).max(MOST_SITES),
    }),
  },
  webChannel: {
    state: z.object({ role: channelRole }),
    arrange: z.object({
      id: linkId,
      role: channelRole,
      peers: z.array(channelPeer).max(MOST_MACHINES),
    }),
  },
}
