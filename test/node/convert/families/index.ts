import type { Family } from '../support/family.ts'
import { applicationFamilies } from './applications.ts'
import { debianFamilies } from './debian.ts'
import { folderFamilies } from './folders.ts'
import { ispconfig } from './ispconfig.ts'
import { mapped } from './nginx-maps.ts'
import { nginxFamilies } from './nginx-sites.ts'
import { panelFamilies } from './panels.ts'

export const FAMILIES: readonly Family[] = [
  ...debianFamilies,
  ...panelFamilies,
  ispconfig,
  ...nginxFamilies,
  ...applicationFamilies,
  mapped,
  ...folderFamilies,
]
