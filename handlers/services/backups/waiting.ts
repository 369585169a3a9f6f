import { timestamp } from '../../domain/text/timestamp.ts'
import type { PanelImport } from '../../ports/recovery.ts'
import type { AccountRow, BackupRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Accounts that an import of the panel made, and that nothing was brought back into yet. */
export interface Waiting {
  /** The import, and the accounts of it that there still are; null: there was none. */
  imported(): Promise<{ id: string; at: string; accounts: AccountRow[] } | null>
  ids(): Promise<ReadonlySet<number>>
  /** Notes that a whole backup was put back by hand; nothing for an account that is not of an import. */
  end(accountId: number, row: BackupRow): Promise<void>
}

/** Later accounts may have the name of one that is gone. */
const isOf = (found: PanelImport, account: AccountRow): boolean =>
  found.accounts.includes(account.username) && account.created_at <= found.at

export const createWaiting = (deps: Pick<ServiceDeps, 'store' | 'clock' | 'recovery'>): Waiting => {
  const { store, clock, recovery } = deps

  const imported: Waiting['imported'] = async () => {
    const found = recovery?.().imported ?? null
    if (found === null) return null
    const { rows } = await store.listAccounts()
    const { id, at } = found
    return { id, at, accounts: rows.filter((account) => isOf(found, account)) }
  }
  return {
    imported,
    async ids() {
      const found = await imported()
      if (found === null) return new Set()
      const over = new Set(
        (await store.refillsOf(found.id))
          .filter(({ state }) => state !== 'failed')
          .map(({ account_id: id }) => id),
      )
      return new Set(found.accounts.map(({ id }) => id).filter((id) => !over.has(id)))
    },
    async end(accountId, { filename, location, created_at, databases }) {
      const found = await imported()
      if (found?.accounts.some(({ id }) => id === accountId) !== true) return
      await store.putRefill({
        import_id: found.id,
        account_id: accountId,
        state: 'done',
        backup: filename,
        location,
        backed_up_at: created_at,
        files: 0,
        bytes: 0,
        databases: databases.length,
        notes: [],
        ended_at: timestamp(clock.nowMs()),
      })
    },
  }
}
