import type { SiteUsage } from '../site-index.ts'
import type { Markable } from '../types.ts'
import type { SqliteDatabase } from './sqlite-driver.ts'

/** The disk layer, looked at by site. */
export interface SqliteSites {
  /** What each site has, by its host tag; bytes are those of bodies. */
  sites(): Record<string, SiteUsage>
  /** Heads of the entries of one site, at most `limit`. */
  ofSite(siteTag: string, limit: number): (Markable & { keepUntilMs: number })[]
}

interface SiteRow {
  id: string
  sequence: number
  tags: string
  expires_at_ms: number
}

export const createSqliteSites = (db: SqliteDatabase): SqliteSites => {
  const sums = db.prepare(
    'SELECT site, count(*) AS entries, sum(body_bytes) AS bytes FROM entries GROUP BY site',
  )
  const heads = db.prepare(
    'SELECT id, sequence, tags, expires_at_ms FROM entries WHERE site = ? LIMIT ?',
  )
  return {
    sites: () =>
      Object.fromEntries(
        (sums.all() as (SiteUsage & { site: string })[]).map(({ site, entries, bytes }) => [
          site,
          { entries, bytes },
        ]),
      ),
    ofSite: (siteTag, limit) =>
      (heads.all(siteTag, limit) as SiteRow[]).map((row) => ({
        key: { host: '', path: '', id: row.id },
        tags: row.tags.split(' '),
        sequence: row.sequence,
        keepUntilMs: row.expires_at_ms,
      })),
  }
}
