import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '#handlers/errors.ts'
import { isSameProcessAlive } from '../../process/process-identity.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'
import type { WebControl } from './web-control.ts'

/** Longer than the web server drains. */
const LIMIT_MS = 60_000

/** Resolves when another web primary answers instead of `old`; 503 when none does in time. */
export const waitForRestart = async (control: WebControl, old: ProcessIdentity): Promise<void> => {
  const deadline = performance.now() + LIMIT_MS
  while (performance.now() < deadline) {
    if (!isSameProcessAlive(old)) {
      const status = await control.status().catch(() => null)
      if (status !== null && status.pid !== old.pid) return
    }
    await delay(50)
  }
  throw unavailable('The web server did not come back within a minute. Look into its log.')
}
