import { timestamp, timestampMs } from '../../domain/text/timestamp.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Diagnosis } from './finding.ts'

const DAY_MS = 86_400_000
/** A certificate is changed with a year left of it: here that failed for long. */
const SHORT_MS = 180 * DAY_MS
const FAULT_MS = 30 * DAY_MS
/** Keys are changed when they are 90 days old. */
const OLD_MS = 120 * DAY_MS
/** For so long former keys may well wait for a machine that is away. */
const WAIT_MS = 30 * DAY_MS

const AWAY = 'Look whether it answers: berth hosts list. Then: berth hosts rotate'

/** Keys and certificates by which this panel and other machines know each other, where they were not changed in time. */
export const findLinkKeys = async ({
  store,
  clock,
  hostLinks,
}: Pick<ServiceDeps, 'store' | 'clock' | 'hostLinks'>): Promise<Diagnosis[]> => {
  const keys = (await hostLinks?.keys()) ?? []
  if (hostLinks === undefined || keys.length === 0) return []
  const nowMs = clock.nowMs()
  const { panels } = await store.trustList()
  const hosts = (await store.listHosts()).filter(({ id }) => id !== LOCAL_HOST)
  const found: Diagnosis[] = []
  const add = (one: Pick<Diagnosis, 'level' | 'subject' | 'what' | 'why' | 'fix'>): void =>
    void found.push({ kind: 'certificate', repair: null, username: null, ...one })

  for (const { name, certificate } of hosts) {
    const untilMs = certificate === null ? null : hostLinks.validUntilMs(certificate)
    if (untilMs === null || untilMs - nowMs >= SHORT_MS) continue
    add({
      level: untilMs - nowMs < FAULT_MS ? 'fault' : 'warning',
      subject: `link of the host ${name}`,
      what: `its certificate ends at ${timestamp(untilMs)}, and was not changed`,
      why: 'From then on this panel does not reach it, and it would have to join anew.',
      fix: `${AWAY} ${name}`,
    })
  }
  const own = keys.flatMap(({ id }) => panels.find((panel) => panel.id === id) ?? [])
  const [newest] = own
  if (newest === undefined) return found
  const ageMs = nowMs - timestampMs(newest.created_at)
  if (ageMs >= OLD_MS)
    add({
      level: 'warning',
      subject: `keys ${newest.id} of this panel`,
      what: `have been in use since ${newest.created_at}, and were not changed`,
      why: 'Whoever has got hold of them can ask the other machines for everything.',
      fix: 'Change them: berth hosts rotate',
    })
  const untold = hosts.filter(
    ({ certificate, trust_version: version }) =>
      certificate !== null && version < newest.since_version,
  )
  if (keys.length > 1 && ageMs >= WAIT_MS && untold.length > 0)
    add({
      level: 'warning',
      subject: 'former keys of this panel',
      what: `are kept, for ${untold.map(({ name }) => name).join(', ')} was not told of the new ones yet`,
      why: 'Whoever has got hold of them can ask those machines for everything.',
      fix: 'Bring them back, or remove what is there no more: berth hosts remove',
    })
  return found
}
