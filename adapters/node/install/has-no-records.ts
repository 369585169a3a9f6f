import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { orderStore } from '../store/copy/order-store.ts'
import { panelFile, panelStorePlace } from '../store/open-panel-store.ts'

/** Whether no panel has kept records yet where the configuration says; false where that cannot be told. */
export const hasNoRecords = async (config: ServerConfig): Promise<boolean> => {
  const place = panelStorePlace(config)
  if ('file' in place) return !existsSync(place.file)
  const directory = dirname(panelFile(config))
  // Who it is asked as owns this.
  if (!existsSync(directory)) return true
  const answer = await orderStore({ action: 'is-used', directory, server: place }).catch(() => null)
  return answer?.kind === 'used' && !answer.used
}
