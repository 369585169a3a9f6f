import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { z } from 'zod'
import { heldFile, isHeld, recoveryDirectory } from '../../../layout/recovery-files.ts'
import { loadIdentities } from '../../../process/identities.ts'
import { osUser, shadowEntry } from '../../accounts/os-names.ts'
import { SPOOL_PATHS } from '../../accounts/spool.ts'
import { IMPORT_REPORT, importDirectory } from './import-journal.ts'
import { ownerNames } from '../owner-names.ts'
import { heldCron } from './place-files.ts'
import { writeWhole } from '../../../layout/write-whole.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'

/** What was held and goes on now. */
export interface LiveReport {
  /** False: this machine was the live one already. */
  was_held: boolean
  /** Accounts whose cron tables run now. */
  cron: string[]
  /** Cron tables that were not put in place, and why. */
  left: string[]
  /** Of the import: their records may have to lead here. */
  domains: string[]
}

/** Why the cron table of a user is not put in place; null: it is. */
const obstacle = async (username: string): Promise<string | null> => {
  if ((await osUser(username)) === null) return 'there is no such user'
  if ((await shadowEntry(username))?.expireDay === '1') return 'the account is suspended'
  if (!existsSync(SPOOL_PATHS.crontabs)) return 'the host has no cron'
  return existsSync(join(SPOOL_PATHS.crontabs, username)) ? 'it has another one by now' : null
}

const importedDomains = ({ paths }: ServerConfig): string[] => {
  const file = join(recoveryDirectory(paths), IMPORT_REPORT)
  if (!existsSync(file)) return []
  return z.object({ domains: z.array(z.string()) }).parse(JSON.parse(readFileSync(file, 'utf8')))
    .domains
}

/** Ends what an import holds: cron tables are put in place, scheduled duties of the panel go on. */
export const goLive = async (config: ServerConfig): Promise<LiveReport> => {
  if (existsSync(importDirectory(config.paths)))
    throw new ExportError('An import broke off on this machine. Finish it first: run it again.')
  const report: LiveReport = {
    was_held: isHeld(config.paths),
    cron: [],
    left: [],
    domains: importedDomains(config),
  }
  const directory = heldCron(config)
  const gid = ownerNames(loadIdentities(), new Set()).gid('crontab')
  for (const username of existsSync(directory) ? readdirSync(directory) : []) {
    const file = join(directory, username)
    const why = await obstacle(username)
    const user = await osUser(username)
    if (why !== null || user === null) {
      report.left.push(`${file}: ${why}`)
      continue
    }
    const target = join(SPOOL_PATHS.crontabs, username)
    writeWhole(target, readFileSync(file), { mode: 0o600, owner: { uid: user.uid, gid } })
    chownSync(target, user.uid, gid)
    chmodSync(target, 0o600)
    rmSync(file)
    report.cron.push(username)
  }
  rmSync(heldFile(config.paths), { force: true })
  return report
}
