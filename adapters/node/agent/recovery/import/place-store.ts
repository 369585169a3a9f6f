import { chownSync, copyFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseStoreUrl } from '#handlers/domain/config/store-url.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { orderStore } from '../../../store/copy/order-store.ts'
import { panelFile, panelStorePlace } from '../../../store/open-panel-store.ts'
import type { ImportJournal } from './import-journal.ts'

const usedText = (url: string): string => {
  const address = parseStoreUrl(url)
  const name = typeof address === 'string' ? 'berth' : address.database
  return `the database ${name} of the configuration ([panel] store) has the records of a panel. Keep them under another name and make an empty one: ALTER DATABASE ${name} RENAME TO ${name}_before, then createdb --encoding=UTF8 --template=template0 --owner=USER ${name}`
}

/**
 * Why the export's records cannot go into the database that its configuration names; null: they can,
 * or it cannot be told before the export's password is in its place.
 */
export const usedServer = async (config: ServerConfig): Promise<string | null> => {
  const place = panelStorePlace(config)
  if ('file' in place) return null
  const directory = dirname(panelFile(config))
  const needed = [directory, place.files.passwordFile, place.files.caFile]
  if (needed.some((path) => path !== null && !existsSync(path))) return null
  const answer = await orderStore({ action: 'is-used', directory, server: place }).catch(
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (typeof answer === 'string') return answer
  return answer.kind === 'used' && answer.used ? usedText(place.url) : null
}

/** Puts the export's records into the database that its configuration names, in one transaction. */
export const placeStore = async (
  journal: ImportJournal,
  config: ServerConfig,
  staged: string,
): Promise<void> => {
  const place = panelStorePlace(config)
  if ('file' in place) throw new Error('The records belong into a file.')
  const directory = dirname(panelFile(config))
  const goOn = (why: string): ExportError =>
    new ExportError(`${why}\nMend it, then run the import again, which goes on.`)
  try {
    // From then on what is there is ours.
    if (!journal.isDone('server')) {
      const answer = await orderStore({ action: 'is-used', directory, server: place })
      if (answer.kind === 'used' && answer.used) throw new Error(usedText(place.url))
      journal.markDone('server')
    }
    const file = join(directory, '.import.db')
    rmSync(file, { force: true })
    copyFileSync(staged, file)
    const { uid, gid } = statSync(directory)
    chownSync(file, uid, gid)
    try {
      await orderStore({ action: 'put', directory, file, server: place })
    } finally {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    }
  } catch (error) {
    throw goOn(error instanceof Error ? error.message : String(error))
  }
}
