import type { Report } from '../../report.ts'
import type { RuleCheck } from '../../types.ts'
import type { NginxMaps } from '../values/nginx-maps.ts'
import type { NginxNames } from '../values/nginx-variables.ts'

/** Who judges and notes what becomes of settings. */
export interface SettingsDeps {
  check: RuleCheck
  report: Report
  /** Where relative paths begin. */
  prefix: string
  names: NginxNames
  maps: NginxMaps
  /** Variables of maps that lines were made of. */
  mapsUsed: Set<string>
}
