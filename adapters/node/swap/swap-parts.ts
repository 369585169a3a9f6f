import { createHash } from 'node:crypto'
import type { ServiceManager } from '../service/service-manager.ts'
import type { Systemctl } from '../service/systemctl.ts'
import type { SwapStore } from './swap-store.ts'

/** What a swap and the way back work with. */
export interface SwapParts {
  store: SwapStore
  service: ServiceManager
  systemctl: Systemctl | null
  /** Told what is done now, for people. */
  onStep: (text: string) => void
}

/** SHA-256 by which a written configuration is known again. */
export const hashOf = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('hex')
