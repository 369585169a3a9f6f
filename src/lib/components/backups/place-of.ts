import type { Backup } from '$lib/api/types'
import { texts } from '$lib/texts'

/** Where a copy of a backup is, as people call it. */
export const placeOf = ({ location }: Pick<Backup, 'location'>): string =>
  location === 'local' ? texts.backups.local : location
