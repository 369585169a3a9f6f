import { chmodSync, chownSync, renameSync, writeFileSync } from 'node:fs'
import type { PhpConfig } from '#handlers/domain/config/config-types.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import { mostChildren, scriptMemory } from '../plans/account-limits.ts'
import type { InstalledPhp } from '../../../machine/find-php.ts'
import type { MasterPlan } from './php-master.ts'
import { planCgi } from '../plans/plan-cgi.ts'
import { planFpm } from '../plans/plan-fpm.ts'
import { planLsphp } from '../plans/plan-lsphp.ts'
import type { ModeInput, ModePlan } from '../plans/mode-plan.ts'
import { masterName, socketName } from './pool-choice.ts'
import type { PoolChoice } from './pool-choice.ts'
import type { PhpDirectories } from '../prepare-directories.ts'

/** What plans are made of besides the account. */
export interface MasterPlanning {
  directories: PhpDirectories
  /** Null in rootless mode. */
  webGid: number | null
  config: PhpConfig
  databaseSocket: () => string | null
  /** What `mail()` of the account runs. */
  sendmailCommand: (username: string) => string
}

/** How each mode that this agent has a backend for is planned. */
export const MODE_PLANS: Partial<Record<PoolChoice['mode'], (input: ModeInput) => ModePlan>> = {
  fpm: planFpm,
  cgi: planCgi,
  lsapi: planLsphp,
}

/**
 * How the account's master for `choice` is started; `write` puts its
 * configuration in place. Throws for a mode without a backend.
 */
export const planMaster = (
  planning: MasterPlanning,
  account: RegisteredAccount,
  php: InstalledPhp,
  choice: PoolChoice,
): { plan: MasterPlan; text: string; write: () => void } => {
  const { webGid, config, directories } = planning
  const planMode = MODE_PLANS[choice.mode]
  if (planMode === undefined) throw new Error(`there is no backend for PHP mode ${choice.mode}`)
  const name = masterName(account.username, choice)
  const configFile = `${directories.config}/${name}.conf`
  const socket = `${directories.sockets}/${socketName(account.username, choice)}.sock`
  const logFile = `${directories.logs}/${name}.log`
  const { text, ...program } = planMode({
    username: account.username,
    home: account.home,
    php,
    configFile,
    socket,
    logFile,
    limits: account.limits,
    maxChildren: mostChildren(choice.pool?.maxChildren ?? config.max_children, account.limits),
    memoryLimit: scriptMemory(choice.pool?.memoryLimit ?? config.memory_limit, account.limits),
    requestTimeoutSecs: config.request_timeout,
    databaseSocket: planning.databaseSocket(),
    sendmailCommand: planning.sendmailCommand(account.username),
    ini: choice.pool?.ini ?? {},
  })
  return {
    text,
    plan: {
      ...program,
      configFile,
      socket,
      access: {
        owner: webGid === null ? null : { uid: 0, gid: webGid },
        mode: webGid === null ? 0o600 : 0o660,
      },
      runAs: webGid === null ? null : { uid: account.uid, gid: account.gid, groups: 'none' },
      uid: account.uid,
    },
    write: () => {
      // Anew for each start. Root made the directory, so nothing but this file is there.
      writeFileSync(logFile, '', { mode: 0o600 })
      if (webGid !== null) chownSync(logFile, account.uid, account.gid)
      const temporary = `${configFile}.new`
      writeFileSync(temporary, text, { mode: 0o600 })
      if (webGid !== null) {
        chownSync(temporary, 0, account.gid)
        chmodSync(temporary, 0o640)
      }
      renameSync(temporary, configFile)
    },
  }
}
