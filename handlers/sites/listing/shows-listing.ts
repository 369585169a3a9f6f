import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { Settings } from '../htaccess/files/settings.ts'

/** Whether a directory without an index shows its names, by the owner's setting and what the rules there say. */
export const showsListing = (
  { listing = 'rules' }: VirtualHostConfig,
  settings: Pick<Settings, 'indexes'> | null,
): boolean => {
  if (listing === 'off') return false
  return settings?.indexes ?? listing === 'on'
}
