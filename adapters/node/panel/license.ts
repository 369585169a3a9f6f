import type { PanelConfig } from '#handlers/domain/config-types.ts'
import type { LicensePort } from '#handlers/ports/license.ts'
import { communityLicense } from '#handlers/services/community-license.ts'

/**
 * The licence in force. Without a licence file it is Community, and valid. A
 * configured file is not honoured, because this version cannot check its
 * signature: Community limits apply, and the reason is shown.
 */
export const createLicense = (config: Pick<PanelConfig, 'license_file'>): LicensePort => {
  const file = config.license_file
  if (file === null) return communityLicense
  return {
    current: async () => ({
      ...(await communityLicense.current()),
      valid: false,
      problem: `This version cannot check the signature of ${file}; Community limits apply. Remove [panel] license_file, or install a version that reads licence files.`,
    }),
  }
}
