import type { Family } from '../support/family.ts'
import { applicationFamilies } from './applications.ts'
import { certbotFamilies } from './certbot.ts'
import { debianFamilies } from './debian.ts'
import { discourse } from './discourse.ts'
import { folderFamilies } from './folders.ts'
import { boilerplateFamilies } from './h5bp.ts'
import { hestia } from './hestia.ts'
import { ispconfig } from './ispconfig.ts'
import { mapped } from './nginx-maps.ts'
import { nginxFamilies } from './nginx-sites.ts'
import { panelFamilies } from './panels.ts'
import { pathInfoFamilies } from './path-info.ts'
import { spinup } from './spinup.ts'
import { strangerFamilies } from './strangers.ts'

export const FAMILIES: readonly Family[] = [
  ...debianFamilies,
  ...panelFamilies,
  ispconfig,
  ...nginxFamilies,
  ...applicationFamilies,
  mapped,
  ...folderFamilies,
  ...pathInfoFamilies,
  ...certbotFamilies,
  ...boilerplateFamilies,
  hestia,
  spinup,
  discourse,
  ...strangerFamilies,
]
