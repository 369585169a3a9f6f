import type { HostRow } from '../../../ports/store/host-store.ts'
import type { FrontDifference } from '../../fronts/fronts.ts'
import type { Diagnosis } from '../finding.ts'

const WHATS: Readonly<Record<FrontDifference['what'], string>> = {
  missing: 'is a site of the panel that this front does not have',
  other: 'is served there otherwise than the panel has it',
  surplus: 'is served there, but the panel has no such site',
  changed: 'has a file there that was changed by hand',
}

/** Where a front differs from the records in both of two looks: what is being brought differs in one. */
export const findFronts = (
  hostId: number,
  before: readonly FrontDifference[],
  after: readonly FrontDifference[],
): Diagnosis[] => {
  const also = new Set(before.map(({ domain, what }) => `${what} ${domain}`))
  return after
    .filter(({ domain, what }) => also.has(`${what} ${domain}`))
    .map(({ domain, what }) => ({
      kind: 'virtual-host',
      subject: domain,
      what: WHATS[what],
      why: 'Visitors who come by this front get something else than the panel says, or nothing.',
      fix: 'Brings the front what it lacks, and writes its files anew.',
      repair: { do: 'bring-front' },
      username: null,
      hostId,
    }))
}

/** Hosts whose sites no front can show, since they let none in. */
export const findClosedHosts = (hosts: readonly HostRow[]): Diagnosis[] =>
  hosts.map(({ id, name }) => ({
    kind: 'port',
    level: 'warning',
    subject: '[server] front_listen',
    what: `is not set on ${name}, or names no address that fronts reach`,
    why: 'No front has the sites of that machine: visitors who come by a front do not find them.',
    fix: 'Set it there to an address that fronts reach, such as "10.0.0.2:7443", then restart Berth there.',
    repair: null,
    username: null,
    hostId: id,
  }))
