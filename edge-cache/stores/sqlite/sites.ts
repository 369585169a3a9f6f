import type { SiteUsage } from '../site-index.ts'
import type { Markable } from '../../types.ts'
import type { SqliteDatabase } from './driver.ts'

/** The disk layer, looked at by site. */
export interface SqliteSites {
  /** What each site has, by its host tag; bytes are those of bodies. */
  sites(): Record<string, SiteUsage>
  /**
   * Heads of the entries of one site, at most `limit`. One is in memory at a time, since
   * a site may give its pages very long tags; between two of them the connection may be
   * used, and entries that go meanwhile are skipped.
   */
  ofSite(siteTag: string, limit: number): Iterable<Markable & { keepUntilMs: number }>
}

interface SiteRow {
  id: string
  sequence: number
  tags: string
  expires_at_ms: number
}

/** Of a database that `prepareWriter` has made ready. */
export const createSqliteSites = (db: SqliteDatabase): SqliteSites => {
  const sums = db.prepare(
    'SELECT site, count(*) AS entries, sum(body_bytes) AS bytes FROM entries GROUP BY site',
  )
  const rowsOf = db.prepare('SELECT row FROM entries WHERE site = ? LIMIT ?')
  const head = db.prepare(
    'SELECT id, sequence, tags, expires_at_ms FROM entries WHERE row = ? AND site = ?',
  )
  return {
    sites: () =>
      Object.fromEntries(
        (sums.all() as (SiteUsage & { site: string })[]).map(({ site, entries, bytes }) => [
          site,
          { entries, bytes },
        ]),
      ),
    *ofSite(siteTag, limit) {
      for (const { row } of rowsOf.all(siteTag, limit) as { row: number }[]) {
        const one = head.get(row, siteTag) as SiteRow | undefined
        if (one === undefined) continue
        yield {
          key: { host: '', path: '', id: one.id },
          tags: one.tags.split(' '),
          sequence: one.sequence,
          keepUntilMs: one.expires_at_ms,
        }
      }
    },
  }
}
