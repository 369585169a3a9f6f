import type { en as english } from '../en/en.ts'
import { frame } from './frame.ts'
import { sitesPart } from './parts/sites.ts'
import { dataPart } from './parts/data.ts'
import { backupsPart } from './parts/backups.ts'
import { cachePart } from './parts/cache.ts'
import { programsPart } from './parts/programs.ts'
import { machinesPart } from './parts/machines.ts'
import { settingsPart } from './parts/settings.ts'

/** All texts in German. */
export const de: typeof english = {
  ...frame,
  ...sitesPart,
  ...dataPart,
  ...backupsPart,
  ...cachePart,
  ...programsPart,
  ...settingsPart,
  ...machinesPart,
}
