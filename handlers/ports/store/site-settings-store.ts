import type { SiteSettings } from '../host/site-settings.ts'

/** Settings of sites for which somebody has chosen some; they go with their domain. */
export interface SiteSettingsStore {
  /** Of all domains, or of those of one account, by the id of the domain. */
  listSiteSettings(query?: { accountId: number }): Promise<Map<number, SiteSettings>>
  /** Null: nobody has chosen any. */
  siteSettings(domainId: number): Promise<SiteSettings | null>
  /** Null: as if nobody had chosen any. Nothing for a domain that is not there. */
  putSiteSettings(domainId: number, settings: SiteSettings | null): Promise<void>
}
