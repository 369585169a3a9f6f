import { timestamp, timestampMs } from '../../domain/text/timestamp.ts'
import { conflict, isAppError, notFound, unavailable } from '../../errors.ts'
import type { HostLinks } from '../../ports/host-links.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import { isAway } from '../on-hosts/panel-hosts.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Trust, TrustChange } from './trust.ts'

const DAY_MS = 86_400_000
/** How old the keys of a panel become. */
const KEYS_MS = 90 * DAY_MS
/** How long former keys count beside the new ones. */
const BESIDE_MS = DAY_MS
/** A host's certificate counts for two years, and is changed where less than this is left of them. */
const LEFT_MS = 365 * DAY_MS
/** Former keys that are kept for hosts that are away; more come only of changes by hand. */
const MOST_KEYS = 20

/** What became of a change of this panel's keys. */
export interface KeyRotation extends TrustChange {
  /** Under which hosts know it now. */
  id: string
  /** Under which they knew it before. */
  former: string[]
}

/** Changes the keys of this panel and the certificates of hosts, before they are old. */
export interface Rotation {
  /** Begins or goes on with what is due of this panel's keys. To be called again and again, by each panel. */
  rotateOwnKeys(): Promise<void>
  /** The same of hosts' certificates; by one of all panels. Never rejects for a host that does not take part. */
  rotateCertificates(): Promise<void>
  /**
   * Changes this panel's keys now. The former ones count for a day, or, `atOnce`, no more at hosts that answer.
   * 409 where there are none, too many panels, or too many former ones that some host was not told of.
   */
  rotateKeys(options: { atOnce: boolean }): Promise<KeyRotation>
  /** Changes a host's certificate now. 404, 409 where it has not joined, 503. */
  rotateCertificate(name: string): Promise<void>
}

type Joined = HostRow & { certificate: string }

const hasJoined = (row: HostRow): row is Joined =>
  row.id !== LOCAL_HOST && row.certificate !== null && row.state !== 'joining'

/**
 * Over records and links. New keys go into the list beside the former ones; each host is called by them as soon
 * as it has that list. A day later the former ones leave the list. Their private part stays here until every
 * host has heard of the new ones, for one that was away takes a list of nobody else. Each step stands by
 * itself: whatever ends in between, the next call goes on.
 */
export const createRotation = ({
  store,
  clock,
  log,
  hostLinks,
  trust,
}: Pick<ServiceDeps, 'store' | 'clock' | 'log' | 'hostLinks'> & {
  trust: Pick<Trust, 'tellTrust'>
}): Rotation => {
  const links = (): HostLinks => {
    if (hostLinks === undefined) throw unavailable('This panel reaches no other machines.')
    return hostLinks
  }
  /** Puts keys that are in no list yet into one; false where there is no room, or this panel was removed. */
  const nameKeys = async (): Promise<boolean> => {
    const [next, ...former] = await links().keys()
    if (next === undefined || next.since !== null) return true
    const { id, certificate, key } = next
    const after = former.map((one) => one.id)
    const row = { id, certificate, key, created_at: timestamp(clock.nowMs()) }
    if ((await store.addLinkPanel(row, { after })) === 'refused') return false
    const named = (await store.trustList()).panels.find((one) => one.id === id)
    if (named !== undefined) await links().keysNamed(id, named.since_version)
    log.info('this panel has new keys for other machines', { panel: id })
    return true
  }
  /** Own ids in the list, the newest first, as the list names them. */
  const listed = async () => {
    const keys = await links().keys()
    const { panels } = await store.trustList()
    return keys.flatMap(({ id }) => panels.find((panel) => panel.id === id) ?? [])
  }
  /** Takes former keys out of the list where they were there long enough. */
  const endFormer = async (besideMs: number): Promise<void> => {
    const [newest, ...former] = await listed()
    if (newest === undefined || former.length === 0) return
    if (clock.nowMs() - timestampMs(newest.created_at) < besideMs) return
    await store.removeLinkPanels(former.map(({ id }) => id))
  }
  /** Forgets keys that no host needs to be called by any more. */
  const dropKeys = async (): Promise<void> => {
    const keys = await links().keys()
    const [newest] = await listed()
    if (newest === undefined || keys.length < 2) return
    const { panels } = await store.trustList()
    const hosts = (await store.listHosts()).filter(({ id }) => id !== LOCAL_HOST)
    const nowSecs = clock.nowMs() / 1000
    const isTold = ({ certificate, trust_version: version, join_until_secs: until }: HostRow) =>
      certificate === null ? (until ?? 0) < nowSecs : version >= newest.since_version
    if (!hosts.every(isTold)) return
    const isListed = (id: string): boolean => panels.some((panel) => panel.id === id)
    await links().dropKeys(
      keys.filter(({ id, since }) => since !== null && !isListed(id)).map(({ id }) => id),
    )
  }
  let changing: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = changing.then(work)
    changing = next.catch(() => undefined)
    return next
  }

  const changeCertificate = async (row: Joined): Promise<void> => {
    let host = row
    if (host.next_certificate === null) {
      const next = await links().prepareCertificate(host)
      await store.nextCertificate(host.id, host.certificate, next)
      // Another panel may have been first.
      const now = await store.hostById(host.id)
      if (now === null || !hasJoined(now)) return
      host = now
    }
    const next = host.next_certificate
    if (next === null) return
    try {
      await links().useCertificate({ ...host, next_certificate: next })
    } catch (error) {
      // It was lost there before it was used: the next time another one is made.
      if (isAppError(error) && error.status === 409)
        await store.settleCertificate(host.id, next, 'lost')
      throw error
    }
    await store.settleCertificate(host.id, next, 'used')
    log.info('a host has a new certificate', { host: host.name })
  }

  return {
    rotateOwnKeys: () =>
      inTurn(async () => {
        if (hostLinks === undefined || (await links().keys()).length === 0) return
        const [newest] = await listed()
        // Nobody obeys this panel: nothing to do, and nothing that it could do.
        if (newest === undefined) return
        if (clock.nowMs() - timestampMs(newest.created_at) >= KEYS_MS) await links().prepareKeys()
        await nameKeys()
        await endFormer(BESIDE_MS)
        await dropKeys()
      }),
    async rotateCertificates() {
      if (hostLinks === undefined) return
      for (const row of await store.listHosts()) {
        if (!hasJoined(row) || isAway(row)) continue
        const untilMs = hostLinks.validUntilMs(row.certificate)
        const isDue = untilMs !== null && untilMs - clock.nowMs() < LEFT_MS
        if (row.next_certificate === null && !isDue) continue
        await changeCertificate(row).catch((error: unknown) =>
          log.warn('the certificate of a host was not changed', {
            ...{ host: row.name, error: String(error) },
          }),
        )
      }
    },
    rotateKeys: ({ atOnce }) =>
      inTurn(async () => {
        const keys = await links().keys()
        if ((await listed()).length === 0)
          throw conflict('No other machine obeys this panel, so there are no keys to change.')
        if (keys.length >= MOST_KEYS)
          throw conflict(
            'Too many former keys are kept for machines that are away. Wait until they are back, or remove them.',
          )
        await links().prepareKeys()
        if (!(await nameKeys()))
          throw conflict('Sixteen panels are trusted already, so there is no room for new keys.')
        const change = await trust.tellTrust()
        const [newest, ...former] = await listed()
        const told = { id: newest?.id ?? '', former: former.map(({ id }) => id) }
        if (!atOnce) return { ...change, ...told }
        await endFormer(0)
        const ended = await trust.tellTrust()
        await dropKeys()
        return { ...ended, ...told }
      }),
    async rotateCertificate(name) {
      const row = await store.hostByName(name)
      if (row === null) throw notFound('No such host.')
      if (!hasJoined(row)) throw conflict(`The host ${name} has no link, or has not joined yet.`)
      await changeCertificate(row)
    },
  }
}
