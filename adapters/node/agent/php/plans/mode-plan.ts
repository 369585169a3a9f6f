import type { AccountLimits } from '../../registry/types.ts'
import type { InstalledPhp } from '../../../machine/find-php.ts'
import type { PhpIniSettings } from './php-ini.ts'
import type { MasterPlan } from '../masters/php-master.ts'

/** What a mode makes its part of a plan of. */
export interface ModeInput extends PhpIniSettings {
  username: string
  php: InstalledPhp
  configFile: string
  socket: string
  logFile: string
  maxChildren: number
  /** Of the account; null: those of any tenant's program. */
  limits: AccountLimits | null
}

/** A mode's part of a plan: the program and what its configuration file says. */
export interface ModePlan extends Pick<
  MasterPlan,
  'binary' | 'args' | 'env' | 'probe' | 'scattered' | 'limits'
> {
  text: string
}
