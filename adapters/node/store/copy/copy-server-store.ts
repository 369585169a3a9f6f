import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { panelFile, panelStorePlace, type StoreConfig } from '../open-panel-store.ts'
import { orderStore } from './order-store.ts'

const COPY = '.copy-'
/** No copy takes so long. */
const OLD_MS = 86_400_000

/** Removes copies that a killed process left. */
export const removeOldCopies = (directory: string, nowMs: number): void => {
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(COPY)) continue
    const stat = lstatSync(join(directory, name), { throwIfNoEntry: false })
    if (stat?.isFile() === true && nowMs - stat.mtimeMs > OLD_MS)
      rmSync(join(directory, name), { force: true })
  }
}

/**
 * Copies the panel's records from PostgreSQL, as of one moment, to a new SQLite file of this
 * process's user. The panel may run meanwhile.
 */
export const copyServerStore = async (config: StoreConfig, copy: string): Promise<void> => {
  const server = panelStorePlace(config)
  if ('file' in server) throw new Error('The records are in a file.')
  // The panel's user, as whom the server is spoken to, writes in its own directory alone.
  const directory = dirname(panelFile(config))
  const file = join(directory, `${COPY}${randomBytes(6).toString('hex')}.db`)
  try {
    await orderStore({ action: 'save', directory, file, server })
    copyFileSync(file, copy, constants.COPYFILE_EXCL)
  } finally {
    rmSync(file, { force: true })
  }
}
