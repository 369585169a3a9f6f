import { Socket } from 'node:net'
import { backendAddress } from './wire/backend-address.ts'
import type { BackendConnection } from './wire/backend-connection.ts'

/** Between one look at what waits and the next. */
const TICK_MS = 15
/** Silence after which a request may not have been accepted, again after each knock: where several are silent, and where one is. */
const SUSPICIOUS_MS = { several: 20, one: 150 }
/** A script may be silent for good reasons. */
const WAKES_PER_CONNECTION = 3

/** Has PHP start processes for connections that it may have overlooked. */
export interface ChildWaker {
  /** Takes note of a new connection, whose first request begins now. */
  watch(connection: BackendConnection): void
}

/**
 * PHP-FPM with `pm = ondemand` starts a process when a connection arrives and none is
 * idle. It hears of arrivals by an edge, so that of connections that arrive together
 * it may notice one: the others wait until a process is done, however many more
 * there might be. Another arrival has it look again, and whoever is idle or new then
 * takes what waited longest. `wake` is such an arrival.
 */
export const createChildWaker = (
  wake: () => void,
  nowMs: () => number = () => performance.now(),
): ChildWaker => {
  const silent = new Map<BackendConnection, { sinceMs: number; wakes: number }>()
  let timer: NodeJS.Timeout | null = null

  const isDue = (sinceMs: number): boolean => {
    const { several, one } = SUSPICIOUS_MS
    return nowMs() - sinceMs >= (silent.size > 1 ? several : one)
  }
  const tick = (): void => {
    timer = null
    for (const connection of silent.keys())
      if (connection.heard || !connection.alive) silent.delete(connection)
    // One at a time: what arrives together would again be one.
    for (const [connection, state] of silent) {
      if (!isDue(state.sinceMs)) continue
      wake()
      state.sinceMs = nowMs()
      if (++state.wakes === WAKES_PER_CONNECTION) silent.delete(connection)
      break
    }
    if (silent.size > 0) timer = setTimeout(tick, TICK_MS).unref()
  }
  return {
    watch(connection) {
      silent.set(connection, { sinceMs: nowMs(), wakes: 0 })
      timer ??= setTimeout(tick, TICK_MS).unref()
    },
  }
}

/** Connects and goes at once; a process that accepts it takes the next. */
export const knock = (path: string): void => {
  const socket = new Socket()
  socket.on('error', () => undefined)
  socket.once('connect', () => socket.destroy())
  socket.connect(backendAddress(path))
}
