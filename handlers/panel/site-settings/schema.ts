import { z } from 'zod'
import { protectedPaths, siteSettingsShape } from '../../domain/site-settings/settings-schema.ts'
import type { SiteSettings } from '../../ports/host/site-settings.ts'
import { named } from '../frame/common-schemas.ts'

/** Settings of a site as they are told: of passwords only that there are some. */
export const siteSettingsAnswer = named('SiteSettings', {
  ...siteSettingsShape,
  protected: protectedPaths(z.strictObject({ name: z.string() })),
})

/** The same record without what nobody needs to see. */
export const siteSettingsView = (settings: SiteSettings): z.output<typeof siteSettingsAnswer> => ({
  ...settings,
  protected: settings.protected.map(({ path, realm, users }) => ({
    path,
    realm,
    users: users.map(({ name }) => ({ name })),
  })),
})
