import { timestamp } from '../../../domain/text/timestamp.ts'
import { LOCAL_HOST } from '../../../ports/store/host-store.ts'
import { isAway } from '../../on-hosts/panel-hosts.ts'
import type { Found, Trouble } from '../../notify/notify.ts'
import type { ServiceDeps } from '../../service-deps.ts'

const DAY_MS = 86_400_000
/** Certificates are changed with a year left of them: here that failed for long. */
const SHORT_MS = 180 * DAY_MS
const about = { accountId: null, to: 'everybody' } as const

/** Machines that do not answer, or whose certificates run out, as the records say. */
export const findHosts = async (
  { store, clock, hostLinks }: Pick<ServiceDeps, 'store' | 'clock' | 'hostLinks'>,
  stands: ReadonlySet<string>,
): Promise<Found> => {
  const troubles: Trouble[] = []
  const rows = await store.listHosts()
  // What was wrong with a machine that was removed since is nobody's any more.
  const gone = [...stands].flatMap((key) => {
    const id = /^host:(\d+):/.exec(key)?.[1]
    return id === undefined || rows.some((row) => row.id === Number(id)) ? [] : [`host:${id}:`]
  })
  for (const row of rows) {
    const { id, name, certificate, seen_secs: seenSecs, state } = row
    if (id === LOCAL_HOST || state === 'joining') continue
    if (isAway(row)) {
      const data = { name, ...(seenSecs !== null && { since: timestamp(seenSecs * 1000) }) }
      troubles.push({ key: `away:${id}`, message: 'machine.away', data, ...about })
    }
    const untilMs = certificate === null ? null : (hostLinks?.validUntilMs(certificate) ?? null)
    if (untilMs === null || untilMs - clock.nowMs() >= SHORT_MS) continue
    const data = { name, expires_at: timestamp(untilMs) }
    troubles.push({ key: `link:${id}`, message: 'machine.certificate', data, ...about })
  }
  return { scopes: ['away:', 'link:', ...gone], troubles }
}
