import { sql } from 'kysely'
import type { LinkPanelRow, TrustStore } from '#handlers/ports/store/hosts/trust-store.ts'
import type { StoreContext } from '../context.ts'

/** As many as a host reads. */
const MOST = 16

/** Whom hosts on other machines obey. */
export const trustPart = ({ db, write, runBatch }: StoreContext): TrustStore => ({
  async trustList() {
    // In one statement: a version never goes with the panels of another one.
    const { rows } = await db.query(sql<LinkPanelRow & { version: number }>`select
      link_trust.version, link_panels.* from link_trust left join link_panels on 1 = 1
      order by link_panels.since_version, link_panels.id`)
    const panels = rows
      .filter(({ id }) => (id as string | null) !== null)
      .map(({ id, certificate, key, since_version, created_at }) => ({
        ...{ id, certificate, key, since_version, created_at },
      }))
    return { version: rows[0]?.version ?? 0, panels }
  },
  async addLinkPanel({ id, certificate, key, created_at }, { first = false, after } = {}) {
    const most = first ? 1 : MOST
    const follows =
      after === undefined
        ? sql`1 = 1`
        : sql`exists (select 1 from link_panels where id in (${sql.join([...after])}))`
    const [added] = await runBatch([
      sql<{ id: string }>`insert into link_panels (id, certificate, key, since_version, created_at)
        select ${id}, ${certificate}, ${key}, (select max(version) + 1 from link_trust), ${created_at}
        where not exists (select 1 from link_panels where id = ${id})
        and (select count(*) from link_panels) < ${most} and ${follows} returning id`.compile(
        write,
      ),
      sql`update link_trust set version = version + 1
        where exists (select 1 from link_panels where since_version > link_trust.version)`.compile(
        write,
      ),
    ])
    if (added?.rows[0] !== undefined) return 'added'
    const known = await db
      .selectFrom('link_panels')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return known?.certificate === certificate && known.key === key ? 'known' : 'refused'
  },
  async removeLinkPanels(ids) {
    if (ids.length === 0) return false
    const named = sql`(${sql.join([...ids])})`
    const mayGo = sql`exists (select 1 from link_panels where id in ${named})
      and exists (select 1 from link_panels where id not in ${named})`
    const [, gone] = await runBatch([
      sql`update link_trust set version = version + 1 where ${mayGo}`.compile(write),
      sql`delete from link_panels where id in ${named} and ${mayGo} returning id`.compile(write),
    ])
    return gone?.rows[0] !== undefined
  },
  async raiseTrustVersion(above) {
    await runBatch([
      sql`update link_trust set version = ${above} + 1 where version <= ${above}`.compile(write),
    ])
  },
  async hostTrusts(hostId, version) {
    await runBatch([
      write
        .updateTable('hosts')
        .set({ trust_version: version })
        .where('id', '=', hostId)
        .where('trust_version', '<', version)
        .compile(),
    ])
  },
})
