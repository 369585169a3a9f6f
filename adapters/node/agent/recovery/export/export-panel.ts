import { randomBytes } from 'node:crypto'
import {
  createWriteStream,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import os from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { LOGINS } from '#handlers/domain/recovery/member-name.ts'
import { lastExportFile, readKitRecord } from '../../../layout/recovery-files.ts'
import { loadIdentities } from '../../../process/identities.ts'
import { productVersion } from '../../../process/product-version.ts'
import { copyServerStore, removeOldCopies } from '../../../store/copy/copy-server-store.ts'
import { panelStorePlace } from '../../../store/open-panel-store.ts'
import { openRegistry } from '../../registry/registry.ts'
import { newKeyPair, type Key, type Lock } from '../format/age.ts'
import { collectFiles } from './collect-files.ts'
import { copyDatabase } from './copy-database.ts'
import { readLogins } from './logins.ts'
import { ownerNames } from '../owner-names.ts'
import { MAX_MEMBERS, readExport } from '../format/read-export.ts'
import { takeRecoveryLock } from '../recovery-lock.ts'
import { readRecipient, signManifest } from '../format/recovery-keys.ts'
import { writeExport } from '../format/write-export.ts'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

/** What an export came to. */
export interface ExportReport {
  file: string
  size_bytes: number
  accounts: number
  files: number
  /** What should be in it and is not, in words. */
  left_out: string[]
  /** Whether somebody has proved that the recovery kit in force is kept; null: no kit is needed to open this export. */
  kit_verified: boolean | null
}

/** Half of an export that is being written. */
export const PART = '.part'
/** Copies of the databases lie there for the time of an export, below the state directory. */
const WORK = '.export-'
const ATTEMPTS = 20

const registryStamp = (file: string): string =>
  [file, `${file}-wal`]
    .map((part) => {
      const stat = statSync(part, { bigint: true, throwIfNoEntry: false })
      return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}`
    })
    .join(' ')

/** Copies of both databases between whose moments the agent's records did not change. */
const copyRecords = async (config: ServerConfig, directory: string) => {
  const registry = join(config.paths.state_dir, 'agent', 'registry.db')
  const store = panelStorePlace(config)
  const copies = { registry: join(directory, 'registry.db'), store: join(directory, 'panel.db') }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = registryStamp(registry)
    await copyDatabase(registry, copies.registry)
    if ('file' in store) await copyDatabase(store.file, copies.store)
    else {
      rmSync(copies.store, { force: true })
      await copyServerStore(config, copies.store)
    }
    if (registryStamp(registry) === before) return copies
  }
  throw new ExportError('Berth is changing accounts all the time. Stop it, or export again later.')
}

/** What a killed export left, in the turn of this one. */
const removeLeftovers = (stateDir: string): void => {
  for (const name of readdirSync(stateDir))
    if (name.startsWith(WORK)) rmSync(join(stateDir, name), { recursive: true, force: true })
  removeOldCopies(join(stateDir, 'panel'), Date.now())
}

const requireNew = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new ExportError(`${file} exists already. Name another, or remove it first.`)
  if (lstatSync(dirname(file), { throwIfNoEntry: false }) === undefined)
    throw new ExportError(`There is no directory ${dirname(file)}.`)
}

/**
 * Writes everything that the panel is, but for the contents of accounts, to one closed
 * file, reads it back and gives it its name: until then there is no export. Berth may
 * run meanwhile.
 */
export const exportPanel = async (
  config: ServerConfig,
  file: string,
  lock: Lock,
): Promise<ExportReport> => {
  const { paths } = config
  requireNew(file)
  const unlock = takeRecoveryLock(paths.state_dir)
  removeLeftovers(paths.state_dir)
  const directory = mkdtempSync(join(paths.state_dir, WORK))
  const part = join(dirname(file), `.${basename(file)}${PART}`)
  try {
    const copies = await copyRecords(config, directory)
    const registry = openRegistry(copies.registry)
    const accounts = registry.accounts()
    const databases = registry.databases()
    const databaseUsers = registry.databaseUsers()
    const hosts = registry.vhosts()
    registry.close()
    const usernames = accounts.map(({ username }) => username)
    const { files, leftOut } = collectFiles(config, usernames)
    const { logins, leftOut: unread } = await readLogins(
      accounts,
      [...databases, ...databaseUsers],
      config,
    )
    // Alone it cannot be read back by us, who have the public key only.
    const { keys, lock: second } = await readBackKey(lock)
    await rm(part, { force: true })
    await writeExport(
      {
        databases: [
          { name: 'registry/registry.db', copy: copies.registry, user: 'root' },
          { name: 'store/panel.db', copy: copies.store, user: 'panel' },
        ],
        files,
        texts: [{ name: LOGINS, text: `${JSON.stringify(logins)}\n` }],
        facts: {
          id: randomBytes(16).toString('hex'),
          made_at: timestamp(Date.now()),
          made_by: productVersion(),
          host: os.hostname(),
          config_file: config.file,
          state_dir: paths.state_dir,
          accounts: accounts.map(({ username, uid }) => ({ username, uid })),
          needs: {
            php: [
              ...new Set(hosts.flatMap(({ php }) => (php === null ? [] : [php.version]))),
            ].sort(),
            engines: [...new Set(databases.map(({ engine }) => engine))].sort(),
          },
          kit: readKitRecord(paths),
          left_out: [...leftOut, ...unread],
        },
        owners: ownerNames(loadIdentities(), new Set(accounts.map(({ uid }) => uid))),
        sign: (manifest) => signManifest(paths.secrets_dir, manifest),
      },
      [lock, ...second],
      () => createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }),
    )
    const { size } = statSync(part)
    const { manifest } = await readExport(part, { key: keys, proof: null }, null, {
      maxMembers: MAX_MEMBERS,
      maxBytes: Number.MAX_SAFE_INTEGER,
    })
    // Unlike a rename this cannot replace one that came meanwhile.
    linkSync(part, file)
    rmSync(part)
    syncFile(dirname(file))
    writeWhole(lastExportFile(paths), `${JSON.stringify({ made_at: timestamp(Date.now()) })}\n`, {
      mode: 0o644,
    })
    return {
      file,
      size_bytes: size,
      accounts: accounts.length,
      files: manifest.members.length,
      left_out: manifest.left_out,
      kit_verified: isKits(config, lock)
        ? typeof readKitRecord(paths)?.verified_at === 'string'
        : null,
    }
  } finally {
    rmSync(part, { force: true })
    rmSync(directory, { recursive: true, force: true })
    unlock()
  }
}

const isKits = ({ paths }: ServerConfig, lock: Lock): boolean =>
  'recipient' in lock && lock.recipient === readRecipient(paths.secrets_dir)

/** A way to read the export back: the passphrase, or a key pair of this moment that nobody keeps. */
const readBackKey = async (lock: Lock): Promise<{ keys: Key; lock: Lock[] }> => {
  if ('passphrase' in lock) return { keys: lock, lock: [] }
  const { identity, recipient } = await newKeyPair()
  return { keys: { identity }, lock: [{ recipient }] }
}
