import { familyOf, isForgotten } from '../../domain/hosts/panel-family.ts'
import { MOST_TRUST_STEP } from '../../domain/hosts/trust-step.ts'
import { conflict, notFound } from '../../errors.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import type { ReachedHost, ToldTrust } from '../../ports/host-links.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { LinkPanel, TrustList } from '../../ports/store/hosts/trust-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/**
 * How far a host may be ahead of the records: what they lost since a backup, in changes of the list. A host
 * that says more is not believed, else one alone could use up the versions of all others for ever.
 */
const MOST_AHEAD = 10_000
/** Nor is it believed again before so long: records are brought back from a backup seldom. */
const BELIEVED_MS = 10 * 60_000

/** What became of a change of the list: who has it, and who gets it as soon as it is back. */
export interface TrustChange {
  version: number
  /** Names of hosts. */
  told: string[]
  waiting: string[]
}

/** Whom the hosts on other machines obey: panels over the same records. */
export interface Trust {
  /** Those that hosts obey; `own`: this one. */
  panels(): Promise<(LinkPanel & { own: boolean; created_at: string })[]>
  /**
   * Lets hosts obey one panel more, and tells all that answer at once, so that it may call them when this
   * resolves. 409: another panel has its id, or there are too many.
   */
  trustPanel(panel: LinkPanel): Promise<TrustChange>
  /** Lets them obey it no more, whichever of its keys is named. 404; 409 for the last one, and for this panel itself. */
  removePanel(id: string): Promise<TrustChange>
  /** Names this panel, which invites a host, in the list. */
  trustOwn(): Promise<void>
  /** Tells the list to each host that lacks it. Never rejects for one that does not take it. */
  tellTrust(): Promise<TrustChange>
  /** Tells one host, if it lacks it. Rejects where it does not take it. */
  tellHost(host: HostRow, list: TrustList): Promise<boolean>
}

const byId = (panels: readonly Pick<LinkPanel, 'id' | 'key'>[]): string =>
  panels
    .map(({ id, key }) => `${id} ${key}`)
    .sort()
    .join('\n')

/** Whether a host has this very list, but for whom root there forgot. */
const isOurs = (told: ToldTrust, { version, panels }: TrustList): boolean =>
  told.version === version &&
  byId(told.panels) === byId(panels.filter(({ id }) => !isForgotten(told.forgotten, id)))

/** Over records and links. Versions ascend over all panels, for each change is one statement of the store. */
export const createTrust = ({
  store,
  clock,
  hostLinks,
  instance,
  log,
}: Pick<ServiceDeps, 'store' | 'clock' | 'hostLinks' | 'instance' | 'log'>): Trust => {
  const now = (): string => timestamp(clock.nowMs())
  const addOwn = async (first: boolean): Promise<void> => {
    const keys = (await hostLinks?.keys()) ?? []
    const own = keys.find(({ since }) => since !== null)
    if (own === undefined) return
    const isOwn = ({ id }: { id: string }): boolean => keys.some((one) => one.id === id)
    const { id, certificate, key } = own
    const added = { id, certificate, key, created_at: now() }
    const { panels: before } = await store.trustList()
    if (before.some(isOwn)) return
    const family = familyOf(own.id)
    const after = before.filter((one) => familyOf(one.id) === family).map((one) => one.id)
    // Records of before its keys were changed name those that it has no more.
    await store.addLinkPanel(added, after.length > 0 ? { after } : { first })
    // Alone with its records it is the only one; another that is named was brought here with a copy of them.
    const { panels } = await store.trustList()
    const others = panels.filter((one) => !isOwn(one)).map((one) => one.id)
    await store.removeLinkPanels(instance === undefined ? others : after)
  }

  /** Tells it in steps, each of which it takes: it may have been away while versions went far ahead. */
  const tell = async (host: ReachedHost & HostRow, list: TrustList): Promise<ToldTrust> => {
    if (hostLinks === undefined) throw new Error('this panel reaches no other machines')
    let told = await hostLinks.tell(host, list)
    while (told.version < list.version - MOST_TRUST_STEP) {
      const version = told.version + MOST_TRUST_STEP
      told = await hostLinks.tell(host, { ...list, version })
      if (told.version !== version) return told
    }
    return told.version < list.version ? hostLinks.tell(host, list) : told
  }
  /** When a host was believed to be ahead of the records, by its id. */
  const believed = new Map<number, number>()
  const isBelieved = (id: number): boolean => {
    const nowMs = clock.nowMs()
    if (nowMs - (believed.get(id) ?? Number.NEGATIVE_INFINITY) < BELIEVED_MS) return false
    believed.set(id, nowMs)
    return true
  }

  const tellHost: Trust['tellHost'] = async (host, list) => {
    const { certificate } = host
    if (hostLinks === undefined || certificate === null || list.version === 0) return false
    if (host.trust_version >= list.version) return true
    const told = await tell({ ...host, certificate }, list)
    if (isOurs(told, list)) {
      await store.hostTrusts(host.id, list.version)
      return true
    }
    // Records that are older than what the host has seen, or it refused ours for another reason.
    const ahead = told.version - list.version
    if (ahead > MOST_AHEAD)
      log.error('a host says that it has a list of panels that cannot be, and is not believed', {
        ...{ host: host.id, version: told.version, known: list.version },
      })
    else if (ahead >= 0 && isBelieved(host.id)) await store.raiseTrustVersion(told.version)
    return false
  }
  const tellOnce = async (list: TrustList): Promise<TrustChange> => {
    const change: TrustChange = { version: list.version, told: [], waiting: [] }
    const hosts = (await store.listHosts()).filter(({ certificate }) => certificate !== null)
    await Promise.all(
      hosts.map(async (host) => {
        const isTold = await tellHost(host, list).catch(() => false)
        ;(isTold ? change.told : change.waiting).push(host.name)
      }),
    )
    change.told.sort()
    change.waiting.sort()
    return change
  }
  const tellTrust = async (): Promise<TrustChange> => {
    const hosts = await store.listHosts()
    if (hostLinks === undefined || hosts.every(({ certificate }) => certificate === null))
      return { version: 0, told: [], waiting: [] }
    await addOwn(true)
    const list = await store.trustList()
    const change = await tellOnce(list)
    // Its version was raised above what a host has seen: once more, with that one.
    const next = await store.trustList()
    return next.version === list.version ? change : tellOnce(next)
  }

  return {
    tellHost,
    tellTrust,
    trustOwn: () => addOwn(false),
    async panels() {
      const keys = (await hostLinks?.keys()) ?? []
      return (await store.trustList()).panels.map(({ id, certificate, key, created_at }) => ({
        ...{ id, certificate, key, created_at, own: keys.some((one) => one.id === id) },
      }))
    },
    async trustPanel(panel) {
      await addOwn(true)
      const added = await store.addLinkPanel({ ...panel, created_at: now() })
      if (added === 'refused')
        throw conflict(
          `Another panel is called ${panel.id}, or sixteen are trusted already. Remove one first.`,
        )
      return tellTrust()
    },
    async removePanel(id) {
      const { panels } = await store.trustList()
      if (!panels.some((panel) => panel.id === id)) throw notFound('No such panel.')
      const isOfIt = (one: { id: string }): boolean => familyOf(one.id) === familyOf(id)
      if (((await hostLinks?.keys()) ?? []).some(isOfIt))
        throw conflict(
          'This panel is the one that you ask. Remove it at another one; to be rid of its former keys alone: berth hosts rotate --end-former.',
        )
      if (!(await store.removeLinkPanels(panels.filter(isOfIt).map((one) => one.id))))
        throw conflict('It is the last one that the hosts obey.')
      return tellTrust()
    },
  }
}
