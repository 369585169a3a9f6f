import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { withPanelStore, type StoreKeys } from '#handlers/domain/recovery/with-panel-store.ts'
import { isRootConfig } from '../config/is-root-config.ts'
import { prepareRunDirectory } from '../layout/prepare-directories.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { ensureIdentities } from '../process/ensure-identities.ts'
import { takeLock } from '../process/take-lock.ts'
import { panelFile, panelStorePlace } from '../store/open-panel-store.ts'
import { orderStore } from '../store/copy/order-store.ts'
import type { StoreAnswer } from '../store/copy/store-order.ts'

type Tell = (progress: Extract<StoreAnswer, { kind: 'progress' }>) => void

/** A move that was looked at; nothing is changed yet. */
export interface StoreMove {
  config: ServerConfig
  /** As the configuration is afterwards. */
  text: string
  file: string
  server: { url: string; files: { passwordFile: string | null; caFile: string | null } }
  toServer: boolean
}

export interface MovedStore {
  tables: number
  rows: number
  /** Path or URL of the store in use from now on. */
  now: string
  /** Path or URL of the earlier one, as it was. */
  before: string
  /** Where a file that lay in the way was put; null: none did. */
  set_aside: string | null
}

/** Looks whether the store can be moved; throws a sentence for the administrator. */
export const planMove = async (config: ServerConfig, keys: StoreKeys): Promise<StoreMove> => {
  const text = withPanelStore(readFileSync(config.file, 'utf8'), keys)
  const { config: later, problems } = parseServerConfig({
    file: config.file,
    text,
    root: isRootConfig(config.file),
  })
  const ours = problems.filter(({ key }) => key.startsWith('panel.store'))
  if (ours.length > 0) throw new Error(ours.map(describeProblem).join('\n'))
  const [from, to] = [panelStorePlace(config), panelStorePlace(later)]
  const toServer = 'url' in to
  if (toServer === 'url' in from)
    throw new Error(
      toServer
        ? 'The records are in PostgreSQL already. From one server to another: move them to sqlite first.'
        : 'The records are in SQLite already.',
    )
  const server = 'url' in to ? to : 'url' in from ? from : null
  if (server === null) throw new Error('No server is named.')
  const file = panelFile(config)
  if (toServer && !existsSync(file))
    throw new Error(`There is no ${file}. Start Berth once, then move what it keeps.`)
  const directory = dirname(file)
  const answer = await orderStore({ action: 'is-used', directory, server })
  const used = answer.kind === 'used' && answer.used
  if (toServer && used)
    throw new Error('A panel has its records in that database already. Name an empty one.')
  if (!toServer && !used) throw new Error('There are no records in the database to move.')
  return { config, text, file, server, toServer }
}

const toFile = async ({ config, file, server }: StoreMove, tell: Tell) => {
  const directory = dirname(file)
  const coming = join(directory, `.moving-${randomBytes(6).toString('hex')}.db`)
  const copied = await orderStore({ action: 'save', directory, server, file: coming }, tell)
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const aside = existsSync(file) ? `${file}.before-${stamp}` : null
  const names: [string, string][] = []
  if (aside !== null)
    for (const part of ['', '-wal', '-shm'])
      if (existsSync(file + part)) names.push([file + part, aside + part])
  await orderStore({ action: 'rename', directory, names: [...names, [coming, file]] })
  return { copied, now: file, before: config.panel.store ?? '', set_aside: aside }
}

const toDatabase = async ({ file, server }: StoreMove, tell: Tell) => {
  const order = { action: 'put', directory: dirname(file), server, file } as const
  const copied = await orderStore(order, tell)
  return { copied, now: server.url, before: file, set_aside: null }
}

/**
 * Copies the panel's records to where they shall be, compares them, and writes the configuration,
 * which is the last step: until then the earlier store is in force. It stays as it was. Throws
 * where Berth runs; it cannot start meanwhile.
 */
export const moveStore = async (move: StoreMove, tell: Tell): Promise<MovedStore> => {
  const { config } = move
  prepareRunDirectory(config, await ensureIdentities())
  const release = takeLock(
    join(config.paths.run_dir, 'supervisor.pid'),
    (pid) => new Error(`Berth runs (process ${pid}). Stop it first: berth service stop`),
  )
  try {
    const { copied, ...places } = await (move.toServer ? toDatabase : toFile)(move, tell)
    if (copied.kind !== 'copied') throw new Error('The copy of the store did not say what it did.')
    const { uid, gid, mode } = statSync(config.file)
    writeWhole(config.file, move.text, { mode: mode & 0o777, owner: { uid, gid } })
    return { tables: copied.tables, rows: copied.rows, ...places }
  } finally {
    release()
  }
}
