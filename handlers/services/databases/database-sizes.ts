import { dayNumber, dayText, KEPT_DAYS } from '../../domain/figures/figures-day.ts'
import { requireAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { findDatabase } from './find-database.ts'
import type { EngineName } from './find-database.ts'

/** How large a database was on a day. */
export interface SizeOfDay {
  /** `2026-11-24`, UTC. */
  day: string
  size_bytes: number
}

/** How large databases were, noted once a day and kept for 400 days. */
export interface DatabaseSizes {
  /** Oldest day first; days on which the server did not answer are left out. 404 and 409 as for the database. */
  of(accountId: number, name: string, engine: EngineName | null): Promise<SizeOfDay[]>
  /** Notes what is not noted of today; a server that does not answer is asked again with the next call. */
  note(): Promise<void>
}

export const createDatabaseSizes = ({
  store,
  host,
  clock,
  log,
}: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'>): DatabaseSizes => {
  const noteAll = async (): Promise<void> => {
    const today = dayNumber(clock.nowMs())
    const [day, before] = [dayText(today), dayText(today - KEPT_DAYS)]
    const lacking = await store.databasesWithoutSize(day)
    // One account after the other: nobody waits for this.
    for (const username of new Set(lacking.map((row) => row.username))) {
      try {
        const facts = await host.databases.facts({ username })
        const sizes = lacking.flatMap((row) => {
          if (row.username !== username) return []
          const fact = facts.find(
            (one) => one.engine === row.engine && one.database === row.database_name,
          )
          const size = fact?.size_bytes ?? null
          return size === null ? [] : [{ database_id: row.id, size_bytes: size }]
        })
        if (sizes.length > 0) await store.putDatabaseSizes(day, sizes, before)
      } catch (error) {
        log.warn('sizes of databases not noted yet', { username, error: String(error) })
      }
    }
  }
  let turn: Promise<void> | null = null

  return {
    async of(accountId, name, engine) {
      const account = await requireAccount(store, accountId)
      const { id } = await findDatabase(store, account, name, engine)
      return store.databaseSizes(id)
    },
    note() {
      turn ??= noteAll().finally(() => {
        turn = null
      })
      return turn
    },
  }
}
