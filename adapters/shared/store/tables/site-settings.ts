import { sql } from 'kysely'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import type { SiteSettings } from '#handlers/ports/host/site-settings.ts'
import type { SiteSettingsStore } from '#handlers/ports/store/site-settings-store.ts'
import type { StoreContext } from '../context.ts'

/** What was kept before a setting existed has what is usual of it. */
const parsed = (text: string): SiteSettings => ({
  ...usualSiteSettings(),
  ...(JSON.parse(text) as Partial<SiteSettings>),
})

/** Settings of sites. */
export const siteSettingsPart = ({ db, write, runBatch }: StoreContext): SiteSettingsStore => ({
  async listSiteSettings(query) {
    const all = db.selectFrom('site_settings').selectAll('site_settings')
    const rows = await (
      query === undefined
        ? all
        : all
            .innerJoin('domains', 'domains.id', 'site_settings.domain_id')
            .where('domains.account_id', '=', query.accountId)
    ).execute()
    return new Map(rows.map((row) => [row.domain_id, parsed(row.settings)]))
  },
  async siteSettings(domainId) {
    const row = await db
      .selectFrom('site_settings')
      .select('settings')
      .where('domain_id', '=', domainId)
      .executeTakeFirst()
    return row === undefined ? null : parsed(row.settings)
  },
  async putSiteSettings(domainId, settings) {
    if (settings === null) {
      await runBatch([
        write.deleteFrom('site_settings').where('domain_id', '=', domainId).compile(),
      ])
      return
    }
    const text = JSON.stringify(settings)
    await runBatch([
      sql`insert into site_settings (domain_id, settings)
      select id, ${text} from domains where id = ${domainId}
      on conflict (domain_id) do update set settings = excluded.settings`.compile(write),
    ])
  },
})
