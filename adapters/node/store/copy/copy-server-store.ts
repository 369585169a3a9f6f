import { randomBytes } from 'node:crypto'
import { constants, copyFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { panelFile, panelStorePlace, type StoreConfig } from '../open-panel-store.ts'
import { orderStore } from './order-store.ts'

/**
 * Copies the panel's records from PostgreSQL, as of one moment, to a new SQLite file of this
 * process's user. The panel may run meanwhile.
 */
export const copyServerStore = async (config: StoreConfig, copy: string): Promise<void> => {
  const server = panelStorePlace(config)
  if ('file' in server) throw new Error('The records are in a file.')
  // The panel's user, as whom the server is spoken to, writes in its own directory alone.
  const directory = dirname(panelFile(config))
  const file = join(directory, `.copy-${randomBytes(6).toString('hex')}.db`)
  try {
    await orderStore({ action: 'save', directory, file, server })
    copyFileSync(file, copy, constants.COPYFILE_EXCL)
  } finally {
    rmSync(file, { force: true })
  }
}
