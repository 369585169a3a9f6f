import { randomSecret } from '../../domain/access/random-secret.ts'
import { secretHash } from '../../domain/access/secret-hash.ts'
import { panelTokenOf } from '../../domain/hosts/panel-token.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { AppError, conflict, unavailable } from '../../errors.ts'
import type { Handover, PanelBundle, StorePlace } from '../../ports/handover.ts'
import type { LinkPanel } from '../../ports/store/hosts/trust-store.ts'
import { DEAD_MS } from '../journal/duties.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Trust } from './trust.ts'

/** How long a machine may join by a token. */
const JOIN_SECS = 15 * 60

/** An instance of the panel as the API shows it. */
export interface PanelView {
  id: string
  /** Of its machine. */
  name: string
  version: string
  seen_at: string
  /** Whether it was heard of within half a minute. */
  alive: boolean
  /** Whether it is the one that answers. */
  own: boolean
}

/** The instances of the panel that share a store. */
export interface Panels {
  /** Where the records are; null: not told. No instances where one is alone with a file. */
  list(): Promise<{ store: StorePlace | null; panels: PanelView[] }>
  /** A token for `berth panel join`. 409 where no other can share the store, or without TLS. */
  invite(address: string): Promise<{ token: string; until: string }>
  /** Hands over what a machine needs that was given the token, and has hosts obey its panel. 401 for another one, 409 for another version. */
  join(given: { secret: string; version: string; link: LinkPanel }): Promise<PanelBundle>
}

const ALONE =
  'The records of this panel are in a file, which no other panel can share. Move them into PostgreSQL first: berth panel move-store.'
const NO_TLS =
  'This panel is reached without TLS, and what it hands over is secret. Set [panel] tls first.'

export const createPanels = ({
  store,
  clock,
  instance,
  storePlace,
  handover,
  trust,
}: Pick<ServiceDeps, 'store' | 'clock' | 'instance' | 'storePlace' | 'handover'> & {
  trust: Pick<Trust, 'trustPanel'>
}): Panels => {
  const shared = (): Handover => {
    if (instance === undefined) throw conflict(ALONE)
    if (handover === undefined)
      throw unavailable('This panel hands nothing over: it must run on Node.')
    return handover
  }
  return {
    async list() {
      const place = (await storePlace?.()) ?? null
      if (instance === undefined) return { store: place, panels: [] }
      const [rows, nowMs] = await Promise.all([store.listInstances(), store.storeTimeMs()])
      const panels = rows.map(({ id, name, version, seen_at_ms: seenMs }) => ({
        ...{ id, name, version, seen_at: timestamp(seenMs), own: id === instance },
        alive: seenMs >= nowMs - DEAD_MS,
      }))
      return { store: place, panels }
    },
    async invite(address) {
      const fingerprint = shared().fingerprint()
      if (fingerprint === null) throw conflict(NO_TLS)
      const secret = randomSecret()
      const untilSecs = unixSecs(clock.nowMs()) + JOIN_SECS
      await store.insertPanelInvitation(await secretHash(secret), untilSecs)
      const token = panelTokenOf({ v: 1, address, fingerprint, secret })
      return { token, until: timestamp(untilSecs * 1000) }
    },
    async join({ secret, version, link }) {
      const { version: own, bundle } = shared()
      const hash = await secretHash(secret)
      const nowSecs = unixSecs(clock.nowMs())
      if (!(await store.takePanelInvitation(hash, nowSecs)))
        throw new AppError(401, 'The token was used, has run out, or is not one of this panel.')
      // Strangers do not learn it. Who was invited may come again once the versions are one.
      if (version !== own) {
        await store.insertPanelInvitation(hash, nowSecs + JOIN_SECS)
        throw conflict(`Panels that share a store are of one version. This one is ${own}.`)
      }
      const handed = bundle()
      await trust.trustPanel(link)
      return handed
    },
  }
}
