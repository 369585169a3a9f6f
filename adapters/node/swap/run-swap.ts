import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { compareAfter, type Difference } from './compare-after.ts'
import { holdConnections } from './hold-connections.ts'
import { OldServerControl } from './old-server-control.ts'
import { probeBefore } from './probe-sites.ts'
import { revertSwap } from './revert-swap.ts'
import { SwapError } from './swap-error.ts'
import { hashOf, type SwapParts } from './swap-parts.ts'
import type { OldServer, ProbeTarget, SwapState } from './swap-types.ts'
import { writeWhole } from './write-whole.ts'

export interface SwapOrder {
  old: OldServer
  configFile: string
  /** The configuration with the sites of the old server, checked. */
  configText: string
  targets: readonly ProbeTarget[]
  loose: boolean
  /** Whether a difference is known and wanted. */
  accepts(this: void, difference: Difference): boolean
  /** Aborted: go back. */
  signal: AbortSignal
}

/** It did not work out, and all is as it was before. */
export class WentBackError extends SwapError {
  readonly differences: readonly Difference[]
  constructor(reason: string, differences: readonly Difference[]) {
    super(reason)
    this.name = 'WentBackError'
    this.differences = differences
  }
}

const prepare = async (
  { store, service, systemctl }: SwapParts,
  { old, configFile, configText, targets, loose }: SwapOrder,
): Promise<SwapState> => {
  const control = new OldServerControl(old, systemctl)
  await control.test()
  const before = await probeBefore(targets)
  const state: SwapState = {
    version: 1,
    phase: 'configuring',
    started_at: new Date().toISOString(),
    old,
    old_touched: false,
    old_enabled: await control.isEnabled(),
    ours_running: service.isRunning,
    ours_enabled: await service.isEnabled(),
    config_file: configFile,
    config_hash: hashOf(configText),
    before,
    loose,
    reason: null,
  }
  store.keepConfig(readFileSync(configFile))
  store.enter(state, 'configuring')
  return state
}

/** Takes the ports as soon as they are free, while the other one answers what it has begun. */
const takeOver = async (
  control: OldServerControl,
  service: SwapParts['service'],
  { listening }: OldServer,
): Promise<void> => {
  const connections = await holdConnections(listening.map(({ port }) => port))
  try {
    const stopping = control.stop()
    // Whichever fails first is told; the other must not end the process.
    stopping.catch(() => undefined)
    await Promise.race([control.awaitFreePorts(), stopping])
    await service.reload()
    await control.awaitTakenPorts()
    await connections.release()
    await stopping
  } finally {
    await connections.release()
  }
}

/**
 * Puts Berth into the place of another web server: configuration, start, stop of
 * the other, comparison of every site. Each step is written down before it begins. When one
 * fails, or a site answers otherwise than before, it goes back by itself and
 * rejects with `WentBackError`. The caller holds the lock.
 */
export const runSwap = async (
  parts: SwapParts,
  order: SwapOrder,
): Promise<{ state: SwapState; compared: number }> => {
  const { store, service, systemctl, onStep } = parts
  const { old, configFile, configText, signal } = order
  onStep(`Asking ${order.targets.length} addresses of the sites, twice`)
  const state = await prepare(parts, order)
  const control = new OldServerControl(old, systemctl)
  const go = (text: string): void => {
    if (signal.aborted) throw new SwapError('It was interrupted.')
    onStep(text)
  }
  let differences: Difference[] = []
  try {
    go(`Writing ${configFile}`)
    writeWhole(configFile, configText, 0o640)
    // While the other one still serves: what takes its time, or fails, does so unseen.
    go('Starting Berth beside it')
    store.enter(state, 'starting')
    if (state.ours_running) await service.reload()
    else await service.start()
    go(`Stopping ${old.program}, taking over its ports`)
    state.old_touched = true
    store.enter(state, 'stopping')
    if (state.old_enabled === true) await control.setEnabled(false)
    await takeOver(control, service, old)
    go('Comparing the sites')
    store.enter(state, 'probing')
    const unwanted = async (): Promise<Difference[]> => {
      const all = await compareAfter(state.before, order.loose)
      return all.filter((one) => !order.accepts(one))
    }
    differences = await unwanted()
    if (differences.length > 0) {
      // The first request of a site may have come before its PHP was ready.
      await setTimeout(1000)
      differences = await unwanted()
    }
    if (differences.length > 0)
      throw new SwapError(
        `${differences.length} of ${order.targets.length} addresses answer otherwise than before.`,
      )
    if (state.old_enabled === true) await service.enable()
    go('Done')
    store.enter(state, 'swapped')
    return { state, compared: state.before.length }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    onStep(`Going back: ${reason}`)
    state.reason = reason
    await revertSwap(parts, state)
    throw new WentBackError(reason, differences)
  }
}
