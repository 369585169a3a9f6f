import { accessSync, chmodSync, chownSync, constants, renameSync, writeFileSync } from 'node:fs'
import type { PhpConfig } from '#handlers/domain/config-types.ts'
import type { RegisteredAccount } from '../registry-types.ts'
import type { InstalledPhp } from './detect.ts'
import { renderFpmConfig } from './fpm-config.ts'
import { inheritedAddress } from './fpm-master.ts'
import type { FpmMasterPlan } from './fpm-master.ts'
import type { PhpDirectories } from './prepare-directories.ts'

/** What plans are made of besides the account. */
export interface FpmPlanning {
  directories: PhpDirectories
  /** Null in rootless mode. */
  webGid: number | null
  config: PhpConfig
  databaseSocket: () => string | null
}

/** What `mail()` runs: the host's mailer, or a command that fails, so that PHP reports the mail as not sent. */
const mailer = (): string => {
  try {
    accessSync('/usr/sbin/sendmail', constants.X_OK)
    return '/usr/sbin/sendmail -t -i'
  } catch {
    return '/bin/false'
  }
}

/** How the account's master of this version is started; `write` puts its configuration in place. */
export const planFpmMaster = (
  planning: FpmPlanning,
  account: RegisteredAccount,
  php: InstalledPhp,
): { plan: FpmMasterPlan; text: string; write: () => void } => {
  const { webGid, config } = planning
  const name = `${account.username}-${php.version}`
  const configFile = `${planning.directories.config}/${name}.conf`
  const socket = `${planning.directories.sockets}/${name}.sock`
  const logFile = `${planning.directories.logs}/${name}.log`
  const text = renderFpmConfig({
    username: account.username,
    home: account.home,
    logFile,
    listen: inheritedAddress(socket),
    maxChildren: config.max_children,
    memoryLimit: config.memory_limit,
    requestTimeoutSecs: config.request_timeout,
    databaseSocket: planning.databaseSocket(),
    sendmailCommand: mailer(),
  })
  return {
    text,
    plan: {
      binary: php.binaries.fpm ?? '',
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
