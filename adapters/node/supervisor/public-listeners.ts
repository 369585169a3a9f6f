import { setTimeout } from 'node:timers/promises'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { bindListener, ListenError, type BoundListener } from '../process/bind-listener.ts'

export type ListenKind = 'http' | 'https' | 'front' | 'panel' | 'control' | 'cli' | 'tunnel'

/** One entry of `BERTH_LISTEN`. */
export interface ListenEntry {
  fd: number
  address: string
  kind: ListenKind
}

interface Slot {
  kind: 'http' | 'https' | 'front'
  configured: string
  bound: BoundListener | null
  /** Why it is not bound. */
  problem: ListenError | null
}

/** How long ports of an earlier run's last workers are waited for. */
const LEFTOVER_MS = 3000

const isBusy = (error: unknown): error is ListenError =>
  error instanceof ListenError && error.code === 'EADDRINUSE'

/** Binds, waiting a little for a port that an earlier run's process is just giving up. */
const bindPatiently = async (address: string, patient: boolean): Promise<BoundListener> => {
  const deadline = performance.now() + (patient ? LEFTOVER_MS : 0)
  for (;;) {
    try {
      return bindListener(address)
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
      await setTimeout(50)
    }
  }
}

/** The sites' listening sockets: those that could be bound, and those that are tried again. */
export interface PublicListeners {
  bound(): { kind: ListenKind; listener: BoundListener }[]
  /** One message per port that could not be opened when it was tried last. */
  problems(): string[]
  /** Tries the missing ones again; answers the addresses that are now bound. */
  retry(): string[]
  isComplete(): boolean
  /** Lets go of all: what children hold of them is theirs to close. */
  close(): void
}

/**
 * Binds `[server] listen`, `listen_ssl` and `front_listen`. A port that another program holds is
 * a problem to report, not a reason to keep the panel from starting.
 */
export const openPublicListeners = async (
  config: ServerConfig,
  options: { patient: boolean },
): Promise<PublicListeners> => {
  const slots: Slot[] = [
    ...config.server.listen.map((configured) => ({
      kind: 'http' as const,
      configured,
      bound: null,
      problem: null,
    })),
    ...config.server.listen_ssl.map((configured) => ({
      kind: 'https' as const,
      configured,
      bound: null,
      problem: null,
    })),
    ...config.server.front_listen.map((configured) => ({
      kind: 'front' as const,
      configured,
      bound: null,
      problem: null,
    })),
  ]
  for (const slot of slots) {
    try {
      slot.bound = await bindPatiently(slot.configured, options.patient)
    } catch (error) {
      if (!(error instanceof ListenError)) throw error
      slot.problem = error
    }
  }
  return {
    bound: () =>
      slots.flatMap(({ kind, bound }) => (bound === null ? [] : [{ kind, listener: bound }])),
    problems() {
      const found = new Map<string, string>()
      for (const { bound, problem } of slots) {
        if (bound !== null || problem === null) continue
        const port = problem.address.slice(problem.address.lastIndexOf(':'))
        // IPv4 and IPv6 of one port are held by the same program; once is enough.
        if (!found.has(port + problem.code)) found.set(port + problem.code, problem.message)
      }
      return [...found.values()]
    },
    isComplete: () => slots.every(({ bound }) => bound !== null),
    close() {
      for (const { bound } of slots) bound?.close()
    },
    retry: () =>
      slots
        .filter(({ bound }) => bound === null)
        .flatMap((slot) => {
          try {
            slot.bound = bindListener(slot.configured)
            return [slot.bound.address]
          } catch (error) {
            if (error instanceof ListenError) slot.problem = error
            return []
          }
        }),
  }
}

/** Binds `[panel] listen`; every address must succeed, for without the panel there is no way in. */
export const openPanelListeners = async (
  config: ServerConfig,
  options: { patient: boolean },
): Promise<BoundListener[]> => {
  const bound: BoundListener[] = []
  for (const address of config.panel.listen)
    bound.push(await bindPatiently(address, options.patient))
  return bound
}
