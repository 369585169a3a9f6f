import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { PanelConfig, PathsConfig } from '#handlers/domain/config/config-types.ts'
import { parseStoreUrl } from '#handlers/domain/config/store-url.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { StorePlace } from '#handlers/ports/handover.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { openStore, sqliteVersion } from './open-store.ts'
import type { StoreFiles } from './postgres/connection-of.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import type { Turns } from './postgres/postgres-batch.ts'
import { isNotThereYet, whyNotOpened } from './postgres/why-not-opened.ts'

/** What the configuration says of the store. */
export interface StoreConfig {
  panel: Pick<PanelConfig, 'store' | 'store_password_file' | 'store_ca_file'>
  paths: Pick<PathsConfig, 'state_dir'>
}

export interface OpenedStore {
  store: Store
  /** What the server is not, or no longer, as it must be; null: nothing. */
  problem(): Promise<string | null>
  /** Where the records are. */
  place(): Promise<StorePlace>
  close(): Promise<void>
}

/** The SQLite file of a panel without `[panel] store`. */
export const panelFile = ({ paths }: Pick<StoreConfig, 'paths'>): string =>
  join(paths.state_dir, 'panel', 'panel.db')

/** Where the panel's store is. */
export const panelStorePlace = (
  config: StoreConfig,
): { file: string } | { url: string; files: StoreFiles } => {
  const { store, store_password_file: passwordFile, store_ca_file: caFile } = config.panel
  return store === null
    ? { file: panelFile(config) }
    : { url: store, files: { passwordFile, caFile } }
}

const PAUSE_MS = 2000

/**
 * Opens the panel's store where the configuration says. Throws a sentence for the administrator.
 *
 * @param waiting where a server that is not reached is waited for, which may start later than
 *   Berth does: told once, there
 * @param turns see `openPostgres`
 */
export const openPanelStore = async (
  config: StoreConfig,
  waiting?: { log: Log; pauseMs?: number },
  turns?: Turns,
): Promise<OpenedStore> => {
  const place = panelStorePlace(config)
  if ('file' in place) {
    const { store, close } = await openStore(place.file)
    const { file } = place
    return {
      store,
      problem: async () => null,
      place: async () => ({ kind: 'sqlite', version: sqliteVersion(), place: file }),
      close: async () => close(),
    }
  }
  const address = parseStoreUrl(place.url)
  if (typeof address === 'string') throw new Error(`[panel] store ${address}`)
  for (let told = false; ;) {
    try {
      const opened = await openPostgres(place.url, place.files, turns)
      if (told) waiting?.log.info("the panel's database answers")
      const { user, host, port, database } = address
      return {
        ...opened,
        place: async () => ({
          kind: 'postgresql',
          version: await opened.version(),
          place: `${user}@${host.includes(':') ? `[${host}]` : host}:${String(port)}/${database}`,
        }),
      }
    } catch (error) {
      const why = whyNotOpened(error, address)
      if (waiting === undefined || !isNotThereYet(error)) throw new Error(why, { cause: error })
      if (!told) waiting.log.warn(`${why}. It is waited for; sites go on meanwhile.`)
      told = true
      await setTimeout(waiting.pauseMs ?? PAUSE_MS)
    }
  }
}
