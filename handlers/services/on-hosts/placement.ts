import { conflict, invalid, unavailable } from '../../errors.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { PlaceDemand } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** A host that did not answer for so long gets no new account. */
const FRESH_SECS = 30
/** Of the disk; a host with less gets no account unless it is named. */
const FREE_PERCENT = 15

/** Where a new account goes, and what must hold of the host when its record is written. */
export interface Place {
  hostId: number
  /** Absent where there is but one host. */
  demand?: PlaceDemand
}

/** Decides on which host a new account is. */
export type Placement = (wanted: {
  /** Name of the one that is wanted. Default: the one with the fewest accounts for its weight. */
  host?: string | undefined
  /** Id of the one that it must be. */
  hostId?: number | undefined
}) => Promise<Place>

/**
 * Over the records of hosts. 400 for a name that is none, 409 for a host that takes no new
 * accounts, 503 where it is away, or where none has room.
 */
export const createPlacement =
  ({ store, clock, host }: Pick<ServiceDeps, 'store' | 'clock' | 'host'>): Placement =>
  async ({ host: name, hostId }) => {
    const all = await store.listHosts()
    const found = all.find((one) => (hostId === undefined ? one.name === name : one.id === hostId))
    if (name !== undefined && found === undefined)
      throw invalid('host', `There is no host "${name}". List the hosts to see which there are.`)
    if (found !== undefined && found.role !== 'host')
      throw invalid('host', `host: ${found.name} only answers visitors; no accounts live there.`)
    if (found === undefined && all.length === 1) {
      await host.assertPresent(LOCAL_HOST)
      return { hostId: LOCAL_HOST }
    }
    const seenSinceSecs = Math.floor(clock.nowMs() / 1000) - FRESH_SECS
    if (found === undefined) {
      const demand = { seenSinceSecs, diskFreePercent: FREE_PERCENT }
      const here = await host.present()
      const best = (await store.hostsWithRoom(demand)).find(({ id }) => here.includes(id))
      if (best === undefined)
        throw unavailable(
          `No host has room for a new account: it must be open, answer, and have ${FREE_PERCENT} % of its disk free. List the hosts to see what each lacks.`,
        )
      return { hostId: best.id, demand }
    }
    await host.assertPresent(found.id)
    if (found.state !== 'open')
      throw conflict(`The host ${found.name} is closed to new accounts. Open it first.`, 'host')
    const isFresh = found.id === LOCAL_HOST || (found.seen_secs ?? 0) >= seenSinceSecs
    if (!isFresh) {
      await host.of(found.id).system.info()
      await store.hostAnswered(found.id, Math.floor(clock.nowMs() / 1000))
    }
    return { hostId: found.id, demand: { seenSinceSecs, diskFreePercent: 0 } }
  }

/** The host was what it had to be a moment ago, and is not any more. */
export const placeLost = (): Error =>
  unavailable('The host for the new account was closed or went away meanwhile. Try again.')
