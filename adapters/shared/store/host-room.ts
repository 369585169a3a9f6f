import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { PlaceDemand } from '#handlers/ports/store/host-store.ts'
import { matches } from './list.ts'

/** Whether a row of `hosts` may take a new account. What is not known of its disk refuses nothing. */
export const mayPlace = (demand: PlaceDemand): RawBuilder<SqlBool> => {
  const { seenSinceSecs, diskFreePercent, phpVersion } = demand
  const php =
    phpVersion === undefined
      ? sql<SqlBool>`true`
      : matches(['hosts.php_versions'], JSON.stringify(phpVersion))
  return sql<SqlBool>`(hosts.role = 'host' and hosts.state = 'open'
    and (hosts.id = ${LOCAL_HOST} or coalesce(hosts.seen_secs, 0) >= ${seenSinceSecs})
    and coalesce(hosts.disk_free_percent, 100) >= ${diskFreePercent} and ${php})`
}

/** Whether the host with this id may. */
export const hostMayTake = (id: number, demand: PlaceDemand): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from hosts where hosts.id = ${id} and ${mayPlace(demand)})`
