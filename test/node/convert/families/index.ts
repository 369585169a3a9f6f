import type { Family } from '../support/family.ts'
import { debianFamilies } from './debian.ts'
import { nginxFamilies } from './nginx-sites.ts'
import { panelFamilies } from './panels.ts'

export const FAMILIES: readonly Family[] = [...debianFamilies, ...panelFamilies, ...nginxFamilies]
