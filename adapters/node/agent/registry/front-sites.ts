import type Database from 'better-sqlite3'
import type { FrontSite } from '#handlers/ports/host/web/front-sites.ts'

/** Sites that this machine has as a front. */
export interface FrontSiteRecords {
  /** By primary name. */
  all(): FrontSite[]
  /** As one durable change. */
  change(put: readonly FrontSite[], removed: readonly string[]): void
}

/** Over an opened and migrated registry database. */
export const createFrontSiteRecords = (db: Database.Database): FrontSiteRecords => {
  const all = db.prepare<[], { site: string }>('select site from front_sites order by domain')
  const put = db.prepare<[string, string]>(
    `insert into front_sites (domain, site) values (?, ?)
     on conflict (domain) do update set site = excluded.site`,
  )
  const remove = db.prepare<[string]>('delete from front_sites where domain = ?')
  return {
    // Only `change` writes the column, so its JSON is a site by construction.
    all: () => all.all().map(({ site }) => JSON.parse(site) as FrontSite),
    change: db.transaction<FrontSiteRecords['change']>((sites, removed) => {
      for (const domain of removed) remove.run(domain)
      for (const site of sites) put.run(site.domain, JSON.stringify(site))
    }).immediate,
  }
}
