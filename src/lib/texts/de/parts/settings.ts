import { settings } from '../settings/settings.ts'
import { doctor } from '../doctor.ts'

/** German texts of the settings and the checks of the server: the part of the pages that have to do with them. */
export const settingsPart = { settings, doctor }
