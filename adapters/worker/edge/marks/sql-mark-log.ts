import type { Purge, PurgeScope, SiteCookies } from '#edge-cache/index.ts'
import type { MarkLog } from './purge-authority.ts'

const SCHEMA = [
  'CREATE TABLE IF NOT EXISTS history (epoch TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS purges (sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, scopes TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS cookies (site TEXT PRIMARY KEY, known TEXT NOT NULL)',
]

/** Over the storage of a Durable Object, which lets no answer out before what was written is durable. */
export const createSqlMarkLog = (storage: DurableObjectStorage): MarkLog => {
  const { sql } = storage
  for (const statement of SCHEMA) sql.exec(statement)
  const add = ({ sequence, atMs, scopes }: Purge): void => {
    const text = JSON.stringify(scopes)
    sql.exec('INSERT OR REPLACE INTO purges VALUES (?, ?, ?)', sequence, atMs, text)
  }
  return {
    epoch() {
      const [row] = sql.exec<{ epoch: string }>('SELECT epoch FROM history').toArray()
      if (row !== undefined) return row.epoch
      const epoch = crypto.randomUUID()
      sql.exec('INSERT INTO history VALUES (?)', epoch)
      return epoch
    },
    purges: () =>
      sql
        .exec<{ sequence: number; at_ms: number; scopes: string }>(
          'SELECT sequence, at_ms, scopes FROM purges ORDER BY sequence',
        )
        .toArray()
        .map(({ sequence, at_ms, scopes }) => ({
          ...{ sequence, atMs: at_ms, scopes: JSON.parse(scopes) as PurgeScope[] },
        })),
    append: add,
    shorten(until) {
      storage.transactionSync(() => {
        sql.exec('DELETE FROM purges WHERE sequence <= ?', until.sequence)
        add(until)
      })
    },
    cookies: () =>
      Object.fromEntries(
        sql
          .exec<{ site: string; known: string }>('SELECT site, known FROM cookies')
          .toArray()
          .map(({ site, known }) => [site, JSON.parse(known) as SiteCookies] as const),
      ),
    keepCookies(site, known) {
      sql.exec('INSERT OR REPLACE INTO cookies VALUES (?, ?)', site, JSON.stringify(known))
    },
  }
}
