import type { InstanceFacts } from '../../ports/store/lease-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createLeases, inTurnOf } from './leases.ts'

/** An instance of the panel that was not heard of for so long has ended. */
export const DEAD_MS = 30_000

/** Duties in which host 0 is asked nothing. */
const WITHOUT_HOST: ReadonlySet<string> = new Set(['duty:events', 'duty:notifications'])

/**
 * Which of the duties that are done over and over are this instance's. Each is that of one living
 * instance, and of another soon after that one has ended.
 */
export interface Duties {
  /** Tells the others that this instance lives, and learns who does; to be called every ten seconds. */
  beat(): Promise<void>
  /**
   * Runs `work` if the duty is this instance's; else nothing. `begun` runs before the first time,
   * and again where another instance had the duty meanwhile.
   */
  run(duty: string, work: () => Promise<void>, begun?: () => Promise<void>): Promise<void>
  /** Leaves all duties to others. */
  end(): Promise<void>
}

/** A number by which living instances are ordered for a duty: FNV-1a in 32 bits, its bits mixed once more. */
const weight = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Whose a duty is, of those that live: the same answer for all who see the same. */
export const holderOf = (duty: string, living: readonly string[]): string | undefined =>
  living.toSorted((one, other) => weight(`${duty} ${other}`) - weight(`${duty} ${one}`))[0]

export const createDuties = (
  deps: Pick<ServiceDeps, 'store' | 'log' | 'turns'> & {
    instance: string
    /** What it says of itself. */
    facts?: InstanceFacts
  },
): Duties => {
  const { store, instance } = deps
  const leases = createLeases(deps)
  const held = new Map<string, () => Promise<void>>()
  /** Being taken: what runs at the same time under one duty takes it once. */
  const taking = new Map<string, Promise<boolean>>()
  let living: string[] = []
  /** Those of them beside host 0, which others cannot ask. */
  let besideHost: string[] = []
  let ended = false

  const candidates = (subject: string): string[] =>
    besideHost.length === 0 || WITHOUT_HOST.has(subject) ? living : besideHost
  const giveUp = async (subject: string): Promise<void> => {
    const release = held.get(subject)
    held.delete(subject)
    await release?.()
  }
  const isHeld = (subject: string): boolean => {
    try {
      leases.assertHeld(subject)
      return true
    } catch {
      return false
    }
  }

  /** Whether the duty is held now; takes it where it is not. */
  const take = async (subject: string, begun?: () => Promise<void>): Promise<boolean> => {
    if (held.has(subject) && !isHeld(subject)) await giveUp(subject)
    if (held.has(subject)) return true
    const release = await leases.tryTake(subject)
    if (release === null) return false
    held.set(subject, release)
    try {
      if (begun !== undefined) await inTurnOf(deps, leases, subject, begun)
    } catch (error) {
      await giveUp(subject)
      throw error
    }
    return true
  }

  return {
    async beat() {
      await store.beat(instance, deps.facts)
      living = await store.livingInstances(DEAD_MS)
      besideHost = await store.livingInstances(DEAD_MS, { besideHost: true })
      for (const subject of [...held.keys()])
        if (holderOf(subject, candidates(subject)) !== instance) await giveUp(subject)
    },
    async run(duty, work, begun) {
      const subject = `duty:${duty}`
      if (ended || holderOf(subject, candidates(subject)) !== instance) return
      const taken = taking.get(subject) ?? take(subject, begun)
      taking.set(subject, taken)
      const isTaken = await taken.finally(() => taking.delete(subject))
      if (isTaken) await inTurnOf(deps, leases, subject, work)
    },
    async end() {
      ended = true
      for (const subject of [...held.keys()]) await giveUp(subject)
    },
  }
}
