import { createHash } from 'node:crypto'
import {
  chownSync,
  copyFileSync,
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { LOGINS } from '#handlers/domain/recovery/member-name.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { Log } from '#handlers/ports/log.ts'
import { loadConfig } from '../../../config/load-config.ts'
import { prepareDirectories, prepareRunDirectory } from '../../../layout/prepare-directories.ts'
import {
  heldFile,
  importedFile,
  isHeld,
  kitFile,
  recoveryDirectory,
} from '../../../layout/recovery-files.ts'
import { detectPhp } from '../../../machine/find-php.ts'
import { ensureIdentities } from '../../../process/ensure-identities.ts'
import type { Identities } from '../../../process/identities.ts'
import { takeLock } from '../../../process/take-lock.ts'
import { openRegistry } from '../../registry/registry.ts'
import { bringAccounts } from './bring-accounts.ts'
import { bringDatabases } from './bring-databases.ts'
import { checkImport, type ImportPlan } from './check-import.ts'
import {
  endImport,
  IMPORT_REPORT,
  markBegun,
  prepareImport,
  resumeImport,
  startJournal,
  type ImportJournal,
} from './import-journal.ts'
import { parseLogins } from '../export/logins.ts'
import { ownerNames } from '../owner-names.ts'
import { placeStore } from './place-store.ts'
import { placeFiles } from './place-files.ts'
import { MAX_MEMBERS, readExport, type Proof } from '../format/read-export.ts'
import { takeRecoveryLock } from '../recovery-lock.ts'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

/** What an import came to. */
export interface ImportReport {
  /** The machine that the export is of. */
  host: string
  made_at: string
  accounts: string[]
  domains: string[]
  /** What this machine could not take, and what the export lacks, in words. */
  skipped: string[]
  /** Where what was there before is kept. */
  kept_in: string
}

/** Share of the free room that an export may fill: some is needed for going on. */
const ROOM = 0.8

const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

/** What an import of this very file came to that is over, though whoever asked may not have heard it; null: there is none. */
const finishedImport = ({ paths }: ServerConfig, sha256: string): ImportReport | null => {
  const file = join(recoveryDirectory(paths), IMPORT_REPORT)
  if (!existsSync(file) || !isHeld(paths)) return null
  const { sha256: of, ...report } = JSON.parse(readFileSync(file, 'utf8')) as ImportReport & {
    sha256: string
  }
  const isThere = report.accounts.every((name) => existsSync(join(paths.home_base, name)))
  if (of !== sha256 || !isThere) return null
  endImport(paths)
  return report
}

/** Nothing of Berth may run or start meanwhile. */
const takeRunLock = ({ paths }: ServerConfig): (() => void) =>
  takeLock(
    join(paths.run_dir, 'supervisor.pid'),
    (pid) => new ExportError(`Berth runs (process ${pid}). Stop it first: berth service stop`),
  )

const stage = async (
  config: ServerConfig,
  file: string,
  sha256: string,
  proof: Proof,
): Promise<ImportJournal> => {
  const resumed = resumeImport(config.paths, sha256)
  if (resumed !== null) return resumed
  const directory = prepareImport(config.paths)
  const { bavail, bsize } = statfsSync(directory)
  try {
    const read = await readExport(file, proof, directory, {
      maxMembers: MAX_MEMBERS,
      maxBytes: Math.floor(bavail * bsize * ROOM),
    })
    return startJournal(config.paths, timestamp(Date.now()), { sha256, ...read })
  } catch (error) {
    endImport(config.paths)
    throw error
  }
}

/** Keeps what the new installation had: settings, secrets and records, which are replaced. */
const keepOld = (config: ServerConfig, into: string): void => {
  const { paths } = config
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into, { recursive: true, mode: 0o700 })
  copyFileSync(config.file, join(into, 'berth.toml'))
  for (const [name, path] of [
    ['secrets', paths.secrets_dir],
    ['panel', join(paths.state_dir, 'panel')],
    ['agent', join(paths.state_dir, 'agent')],
  ] as const)
    if (existsSync(path)) cpSync(path, join(into, name), { recursive: true })
}

/** Puts a database in its place, and no log of another one beside it. */
const placeDatabase = (staged: string, target: string): void => {
  const { uid, gid } = statSync(dirname(target))
  const temporary = `${target}.import`
  rmSync(temporary, { force: true })
  copyFileSync(staged, temporary)
  chownSync(temporary, uid, gid)
  syncFile(temporary)
  for (const suffix of ['-wal', '-shm']) rmSync(`${target}${suffix}`, { force: true })
  renameSync(temporary, target)
  syncFile(dirname(target))
}

const lookAround = async (journal: ImportJournal, config: ServerConfig): Promise<void> => {
  const installed = await detectPhp({ lswsDirectory: config.php.lsphp_directory })
  for (const version of journal.manifest.needs.php)
    if (!installed.some((one) => one.version === version))
      journal.skip(
        `PHP ${version} is not installed: sites that use it answer with an error until it is`,
      )
  for (const missing of journal.manifest.left_out) journal.skip(`the export lacks: ${missing}`)
}

const carryOut = async (
  journal: ImportJournal,
  plan: ImportPlan,
  who: Identities,
  log: Log,
): Promise<void> => {
  const { config, accounts } = plan
  const { paths } = config
  const owners = ownerNames(who, new Set(accounts.map(({ uid }) => uid)))
  const staged = (name: string): string => journal.files.get(name) ?? ''
  const text = (name: string): string => readFileSync(staged(name), 'utf8')
  await lookAround(journal, config)
  placeFiles(journal, config, owners)
  writeWhole(config.file, plan.configText, {
    mode: 0o640,
    owner: { uid: 0, gid: owners.gid('conf') },
  })
  prepareDirectories(config, who)
  const { kit } = journal.manifest
  if (kit !== null) writeWhole(kitFile(paths), `${JSON.stringify(kit)}\n`, { mode: 0o644 })
  if (!journal.isDone('records')) {
    placeDatabase(staged('registry/registry.db'), join(paths.state_dir, 'agent', 'registry.db'))
    if (config.panel.store === null)
      placeDatabase(staged('store/panel.db'), join(paths.state_dir, 'panel', 'panel.db'))
    else await placeStore(journal, config, staged('store/panel.db'))
    journal.markDone('records')
  }
  const loaded = await loadConfig(config.file)
  if (!loaded.ok)
    throw new ExportError(
      `The configuration is in its place, but something that it names is missing. Mend it, then run the import again, which goes on:\n${loaded.problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
    )
  const registry = openRegistry(join(paths.state_dir, 'agent', 'registry.db'))
  try {
    const logins = parseLogins(text(LOGINS))
    await bringAccounts(journal, config, who, registry, logins)
    await bringDatabases(journal, config, registry, logins, log)
  } finally {
    registry.close()
  }
}

/**
 * Brings the panel back from an export onto a machine without accounts: checks first,
 * then changes, each step written down, so that the same call goes on after a break.
 * Duties that only one machine may have are held until somebody says that it is live.
 */
export const importPanel = async (
  current: ServerConfig,
  file: string,
  proof: Proof,
  log: Log,
): Promise<ImportReport> => {
  const who = await ensureIdentities()
  mkdirSync(current.paths.state_dir, { recursive: true, mode: 0o755 })
  prepareRunDirectory(current, who)
  const unlock = takeRecoveryLock(current.paths.state_dir)
  let stay = (): void => undefined
  try {
    stay = takeRunLock(current)
    const sha256 = await sha256Of(file)
    const finished = finishedImport(current, sha256)
    if (finished !== null) return finished
    const journal = await stage(current, file, sha256, proof)
    const { manifest } = journal
    const before = join(recoveryDirectory(current.paths), `before-${manifest.id}`)
    let plan: ImportPlan
    try {
      plan = await checkImport(journal, current)
    } catch (error) {
      if (!journal.isBegun) endImport(current.paths)
      throw error
    }
    if (!journal.isBegun) {
      keepOld(current, before)
      writeWhole(
        heldFile(current.paths),
        `${JSON.stringify({ imported_at: timestamp(Date.now()), host: manifest.host })}\n`,
        { mode: 0o644 },
      )
      writeWhole(
        importedFile(current.paths),
        `${JSON.stringify({
          id: manifest.id,
          at: timestamp(Date.now()),
          accounts: plan.accounts.map(({ username }) => username),
        })}\n`,
        { mode: 0o644 },
      )
      markBegun(journal)
    }
    await carryOut(journal, plan, who, log)
    const report: ImportReport = {
      host: manifest.host,
      made_at: manifest.made_at,
      accounts: plan.accounts.map(({ username }) => username),
      domains: plan.domains,
      skipped: [...journal.skipped()],
      kept_in: before,
    }
    writeWhole(
      join(recoveryDirectory(current.paths), IMPORT_REPORT),
      `${JSON.stringify({ sha256, ...report }, null, 2)}\n`,
      { mode: 0o600 },
    )
    endImport(current.paths)
    return report
  } finally {
    stay()
    unlock()
  }
}
