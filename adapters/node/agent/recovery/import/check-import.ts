import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import Database from 'better-sqlite3'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { hostsOff } from '#handlers/domain/recovery/switch-off.ts'
import { isRootConfig } from '../../../config/is-root-config.ts'
import { openStore } from '../../../store/open-store.ts'
import { osGroupId, osUser, osUserName } from '../../accounts/os-names.ts'
import { openRegistry } from '../../registry/registry.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import { usedServer } from './place-store.ts'
import type { ImportJournal } from './import-journal.ts'

/** What an import will do, found without changing anything. */
export interface ImportPlan {
  /** As the export has it, hosts by hand off. */
  config: ServerConfig
  configText: string
  accounts: RegisteredAccount[]
  /** Domains of the accounts' sites. */
  domains: string[]
}

const rowsIn = (file: string, table: string): number => {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return 0
  const db = new Database(file, { readonly: true })
  try {
    const known = db
      .prepare<[string], { n: number }>('SELECT count(*) AS n FROM sqlite_master WHERE name = ?')
      .get(table)
    if (known?.n !== 1) return 0
    return db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0
  } finally {
    db.close()
  }
}

const fileOf = (journal: ImportJournal, name: string): string => {
  const file = journal.files.get(name)
  if (file === undefined) throw new ExportError(`This export lacks ${name}.`)
  return file
}

const switchedOff = (text: string): string => {
  try {
    return hostsOff(text)
  } catch (error) {
    throw new ExportError(
      `The configuration of the export cannot be used: ${error instanceof Error ? error.message : ''}.`,
      { cause: error },
    )
  }
}

const readConfig = (journal: ImportJournal, current: ServerConfig) => {
  const text = readFileSync(fileOf(journal, `config/${basename(current.file)}`), 'utf8')
  const configText = switchedOff(text)
  const parsed = parseServerConfig({
    file: current.file,
    text: configText,
    root: isRootConfig(current.file),
  })
  if (parsed.problems.length > 0)
    throw new ExportError(
      `This version does not take the configuration of the export:\n${parsed.problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
    )
  return { config: parsed.config, configText }
}

/** Why an account cannot come back as it was; null: it can. */
const collision = async (account: RegisteredAccount): Promise<string | null> => {
  const { username, uid, gid, home } = account
  const user = await osUser(username)
  if (user !== null && (user.uid !== uid || user.home !== home))
    return `the system has another user ${username} (uid ${user.uid}, ${user.home})`
  const [owner, group] = [await osUserName(uid), await osGroupId(username)]
  if (owner !== null && owner !== username) return `uid ${uid} of ${username} is taken by ${owner}`
  if (group !== null && group !== gid) return `the system has another group ${username}`
  const stat = lstatSync(home, { throwIfNoEntry: false })
  if (stat === undefined || (stat.isDirectory() && stat.uid === uid)) return null
  return stat.isDirectory() && stat.uid === 0 && readdirSync(home).length === 0
    ? null
    : `${home} of ${username} is there and belongs to somebody else`
}

/**
 * Looks whether the export can come back here, all of it, before anything is changed.
 * Throws with everything that stands in the way.
 */
export const checkImport = async (
  journal: ImportJournal,
  current: ServerConfig,
): Promise<ImportPlan> => {
  const { manifest } = journal
  const problems: string[] = []
  if (manifest.config_file !== current.file)
    throw new ExportError(
      `The export is of ${manifest.config_file}, not of ${current.file}. Name it with --config.`,
    )
  const { config, configText } = readConfig(journal, current)
  const stateDir = current.paths.state_dir
  if (config.paths.state_dir !== stateDir || manifest.state_dir !== stateDir)
    problems.push(
      `the records of the export lie in ${config.paths.state_dir}, those of this machine in ${stateDir}; set [paths] state_dir in ${current.file} to the former`,
    )
  if (!journal.isBegun) {
    const accounts = rowsIn(`${stateDir}/agent/registry.db`, 'accounts')
    const known = rowsIn(`${stateDir}/panel/panel.db`, 'accounts')
    if (accounts + known > 0)
      problems.push(
        `this machine has ${Math.max(accounts, known)} accounts; import on an empty one`,
      )
  }
  if (!journal.isBegun) {
    const used = await usedServer(config)
    if (used !== null) problems.push(used)
  }
  // In their staging place both are brought to this version's form; a newer one is refused.
  const store = await openStore(fileOf(journal, 'store/panel.db'))
  store.close()
  const registry = openRegistry(fileOf(journal, 'registry/registry.db'))
  const accounts = registry.accounts()
  const domains = registry.vhosts().map(({ domain }) => domain)
  registry.close()
  for (const account of accounts) {
    const problem = await collision(account)
    if (problem !== null) problems.push(problem)
  }
  if (problems.length > 0)
    throw new ExportError(
      `The export cannot come back here; nothing was changed:\n${problems.map((one) => `  ${one}`).join('\n')}`,
    )
  return { config, configText, accounts, domains: domains.sort() }
}
