import { sql } from 'kysely'
import type { PanelNameStore } from '#handlers/ports/store/panels/panel-name-store.ts'
import type { StoreContext } from '../context.ts'

/** Names that browsers use for the panel. */
export const panelNamesPart = ({ db, write, runBatch }: StoreContext): PanelNameStore => ({
  async notePanelName(name, seenSecs, most) {
    await runBatch([
      // An instance whose clock is behind takes nothing back.
      sql`insert into panel_names (name, seen_secs) values (${name}, ${seenSecs})
        on conflict (name) do update set seen_secs = excluded.seen_secs
        where panel_names.seen_secs < excluded.seen_secs`.compile(write),
      sql`delete from panel_names where name not in (select name from
        (select name from panel_names order by seen_secs desc, name limit ${most}) as latest)`.compile(
        write,
      ),
    ])
  },
  async panelNames(sinceSecs) {
    const rows = await db
      .selectFrom('panel_names')
      .select('name')
      .where('seen_secs', '>=', sinceSecs)
      .orderBy('name')
      .execute()
    return rows.map(({ name }) => name)
  },
})
