import { existsSync, readFileSync } from 'node:fs'
import { compareAfter, type Difference } from './compare-after.ts'
import { withoutBlock } from './config-block.ts'
import { holdConnections } from './hold-connections.ts'
import { OldServerControl } from './old-server-control.ts'
import { hashOf, type SwapParts } from './swap-parts.ts'
import type { SwapState } from './swap-types.ts'
import { writeWhole } from './write-whole.ts'

/** The configuration as it was before; what a person changed since stays, without the sites. */
const restoreConfig = ({ store }: SwapParts, state: SwapState): void => {
  const { config_file: file, config_hash: written } = state
  const kept = store.keptConfig()
  const now = existsSync(file) ? readFileSync(file) : null
  if (now !== null && now.equals(kept)) return
  const isOurs = now === null || hashOf(now) === written
  writeWhole(file, isOurs ? kept : withoutBlock(now.toString('utf8')), 0o640)
}

/** Ends Berth and starts the other server on its ports. */
const giveBack = async (
  { service, onStep }: SwapParts,
  { old, old_touched: touched }: SwapState,
  control: OldServerControl,
): Promise<void> => {
  const connections = await holdConnections(
    service.isRunning ? old.listening.map(({ port }) => port) : [],
  )
  try {
    onStep('Stopping Berth')
    // It lets go of its ports at once, long before its last request and its last process have ended.
    const stopping = service.stop()
    stopping.catch(() => undefined)
    if (touched) onStep(`Starting ${old.program}`)
    await control.start()
    await connections.release()
    await stopping
  } finally {
    await connections.release()
  }
}

/**
 * Goes back from wherever a swap is, also one that was killed: every step looks
 * first, so that it can be done again. Answers which sites answer otherwise than
 * before the swap. The caller holds the lock.
 */
export const revertSwap = async (parts: SwapParts, state: SwapState): Promise<Difference[]> => {
  const { store, service, systemctl, onStep } = parts
  const control = new OldServerControl(state.old, systemctl)
  store.enter(state, 'reverting')
  const goesOn = state.ours_running && !state.old_touched
  // It may have been told to end a moment ago and still be at it.
  if (state.old_touched) await control.stop()
  onStep(`Restoring ${state.config_file}`)
  restoreConfig(parts, state)
  if (goesOn) {
    if (service.isRunning) await service.reload()
    await control.start()
  } else await giveBack(parts, state, control)
  if (state.old_enabled === true) await control.setEnabled(true)
  if (!state.ours_enabled && (await service.isEnabled())) await service.disable()
  if (state.ours_running && !service.isRunning) await service.start()
  const differences = await compareAfter(state.before, state.loose)
  store.enter(state, 'reverted')
  return differences
}
