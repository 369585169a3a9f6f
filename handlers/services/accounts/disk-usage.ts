import type { AccountRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Keeps `disk_used_mb` of the accounts that somebody looks at near the truth. */
export interface DiskUsage {
  /** Asks the host behind the response that is on its way; the next one carries the result. */
  refresh(accounts: readonly AccountRow[]): void
}

/** Counting a home means walking it, so no account is asked for more often. */
const KEEP_MS = 60_000
/** Of a long list only so many at once; paging through it reaches the rest. */
const MAX_PER_CALL = 100

export const createDiskUsage = ({
  store,
  host,
  clock,
  log,
  background,
}: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'background'>): DiskUsage => {
  const askedAtMs = new Map<number, number>()

  const ask = async ({ id, username, disk_used_mb }: AccountRow): Promise<void> => {
    try {
      const used = await host.users.diskUsedMb({ username })
      if (used !== disk_used_mb) await store.updateAccount(id, { disk_used_mb: used })
    } catch (error) {
      log.warn('disk usage unknown', { username, error: String(error) })
    }
  }

  return {
    refresh(accounts) {
      const nowMs = clock.nowMs()
      const due = accounts
        .filter(({ status }) => status === 'active' || status === 'suspended')
        .filter(({ id }) => nowMs - (askedAtMs.get(id) ?? -KEEP_MS) >= KEEP_MS)
        .slice(0, MAX_PER_CALL)
      if (due.length === 0) return
      for (const { id } of due) askedAtMs.set(id, nowMs)
      background.run('disk usage', async () => {
        const present = new Set(await host.present())
        for (const account of due) if (present.has(account.host_id)) await ask(account)
      })
    },
  }
}
