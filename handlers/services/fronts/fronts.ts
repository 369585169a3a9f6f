import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { isAppError } from '../../errors.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { Journal } from '../journal/journal.ts'
import { isAway } from '../on-hosts/panel-hosts.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createBringToFront, type Bringing } from './bring-to-front.ts'
import { arrangeChannel, hasJoined, originsOf } from './channel.ts'
import { within } from '../within.ts'
import { createPatience } from './patience.ts'
import { wantedSites, type WantedSite } from './wanted-sites.ts'

/** How a front differs from the records. */
export interface FrontDifference {
  domain: string
  what: 'missing' | 'other' | 'surplus' | 'changed'
}

/** Spreads sites, certificates and who asks whom over the fronts. */
export interface Fronts {
  /**
   * Brings each front that answers what it lacks; they load one after the other. To be called every ten seconds. Never
   * rejects for a front that does not take it, which is tried again.
   */
  bring(): Promise<void>
  /** The same for the sites of one account, before what waits; resolves when all fronts have it that answer in time. Never rejects. */
  bringAccount(username: string): Promise<void>
  /** Something was changed: brings it in the background. */
  changed(): void
  /** Writes anew at a front what was changed there by hand, and what differs. */
  repair(frontId: number): Promise<void>
  /** Takes all sites off a front that this panel is to forget, if it answers. */
  empty(frontId: number): Promise<void>
  /** How a front differs now. Rejects where it does not answer. */
  differences(frontId: number): Promise<FrontDifference[]>
  /** Hosts with accounts that let no front in, by name; none where there is no front. */
  closedHosts(): Promise<HostRow[]>
}

/** For which all wait for what one machine says of the channel. */
const CHANNEL_MS = 10_000
/** For which what comes next waits for one front, which goes on by itself then. */
const FRONT_MS = 30_000
/** The same where somebody is to be closed, at the fronts and then at his host. */
const ACCOUNT_MS = 20_000

export const createFronts = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'log' | 'hostLinks' | 'background'> & {
    journal: Journal
  },
): Fronts => {
  const { store, host, log, hostLinks, background } = deps
  const bringTo = createBringToFront(deps)
  const channel = { ...deps, patience: createPatience(CHANNEL_MS) }
  const patience = createPatience(FRONT_MS)
  const fronts = async (): Promise<HostRow[]> =>
    hostLinks === undefined
      ? []
      : (await store.listHosts()).filter((row) => row.role === 'front' && hasJoined(row))
  const wanted = async (): Promise<Map<string, WantedSite>> =>
    wantedSites(deps, originsOf(await store.listHosts(), await store.listChannelMachines()))

  const bringAll = async (bringing: Bringing): Promise<void> => {
    const answering = (await fronts()).filter((front) => !isAway(front))
    if (answering.length === 0) return
    // Read once for all; whoever tries again reads anew.
    const first = wanted()
    first.catch(() => undefined)
    const bringOne = async (front: HostRow): Promise<void> => {
      const read = async (isFirst: boolean): Promise<Map<string, WantedSite>> =>
        isFirst ? first : wanted()
      const work = async (): Promise<boolean> => bringTo(front.id, read, bringing)
      try {
        await (bringing.only === undefined ? patience(front.id, work) : within(ACCOUNT_MS, work()))
      } catch (error) {
        log.warn('a front was not brought what it lacks, which is tried again', {
          front: front.name,
          error: isAppError(error) ? error.message : String(error),
        })
      }
    }
    // At once, for one that is slow must not keep the others waiting; they load in turn.
    await Promise.all(answering.map(bringOne))
  }
  let running: Promise<void> | null = null
  let isAsked = false
  /** One at a time; what is asked for meanwhile is done once more after it. */
  const bring = (): Promise<void> => {
    isAsked = true
    running ??= (async () => {
      try {
        while (isAsked) {
          isAsked = false
          if (hostLinks === undefined) return
          await arrangeChannel(channel)
          await bringAll({})
        }
      } finally {
        running = null
      }
    })()
    return running
  }

  return {
    bring,
    async bringAccount(username) {
      if ((await fronts()).length === 0) return
      const account = await store.accountByName(username)
      if (account === null) return
      const { rows } = await store.listDomains({ accountId: account.id })
      await bringAll({ only: new Set(rows.map(({ domain_name: name }) => name)) })
    },
    changed() {
      if (hostLinks === undefined || isAsked) return
      background.run('bring the fronts what was changed', bring)
    },
    async repair(frontId) {
      await arrangeChannel(channel)
      await bringTo(frontId, wanted, { anew: true })
    },
    async empty(frontId) {
      try {
        // One that does not answer must not put off that it is forgotten.
        await within(
          ACCOUNT_MS,
          bringTo(frontId, async () => new Map()),
        )
      } catch (error) {
        log.warn('a front that is forgotten keeps its sites', { error: String(error) })
      }
    },
    async differences(frontId) {
      const { sites, changed } = await host.of(frontId).frontSites.held()
      const all = await wanted()
      const there = new Map(sites.map((site) => [site.domain, site]))
      const found: FrontDifference[] = []
      for (const [domain, { site }] of all) {
        const held = there.get(domain)
        if (held === undefined) found.push({ domain, what: 'missing' })
        else if (canonicalJson(held) !== canonicalJson(site)) found.push({ domain, what: 'other' })
      }
      for (const domain of there.keys())
        if (!all.has(domain)) found.push({ domain, what: 'surplus' })
      for (const domain of changed) found.push({ domain, what: 'changed' })
      return found
    },
    async closedHosts() {
      if ((await fronts()).length === 0) return []
      const hosts = await store.listHosts()
      const origins = originsOf(hosts, await store.listChannelMachines())
      return hosts.filter(
        ({ id, role, accounts }) => role === 'host' && accounts > 0 && !origins.has(id),
      )
    },
  }
}
