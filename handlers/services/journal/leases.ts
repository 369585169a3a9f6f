import { AppError, conflict } from '../../errors.ts'
import type { Turn } from '../../ports/turn.ts'
import { within } from '../within.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How long a lease lasts that nobody renews. */
export const LEASE_MS = 30_000
const RENEW_MS = 10_000
/** After a renewal that failed. */
const AGAIN_MS = 1000
/** Whoever could not renew for so long begins nothing more: before its lease ends for the others. */
const TRUST_MS = 20_000
const WAIT_MS = 10_000
/** A connection that was cut without a word answers after hours; then another one is used. */
const ANSWER_MS = 5000
const LOOK_MS = [50, 100, 250] as const
const URGENT_MS = 2000

/** 503: another instance of the panel goes on with what this one had begun. */
export class Superseded extends AppError {
  constructor(subject: string) {
    super(
      503,
      `This instance of the panel was cut off from the records for too long while it changed ${subject}. Another one undoes or finishes the change; look again in a minute.`,
    )
  }
}

/** Leases of this instance, where several share the store. Alone it holds none, and all answers are "yes". */
export interface Leases {
  /**
   * Takes the lease of a subject, of which nobody in this process holds one; answers how to give
   * it back. 409 when another instance has it for longer than ten seconds.
   */
  take(subject: string, urgent: boolean): Promise<() => Promise<void>>
  /** The same without waiting; null: another instance has it. */
  tryTake(subject: string): Promise<(() => Promise<void>) | null>
  /** What writes on this subject are bound to; undefined: nothing. */
  termOf(subject: string): number | undefined
  /** What the host is told of who changes this subject; null: nothing. */
  turnOf(subject: string, outer: Turn | null): Turn | null
  /** Throws `Superseded` unless nobody else can have the subject by now. */
  assertHeld(subject: string): void
  /** Whether urgent work of another instance waits for this one's. */
  isUrged(subject: string): Promise<boolean>
  /** Subjects that other instances change now. */
  ofOthers(): Promise<string[]>
}

interface Held {
  term: number
  /** By the clock that no one sets. */
  renewedMs: number
  /** Several calls of one turn may be refused at once: the first raises it for all. */
  raising: Promise<void>
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const inTime = <T>(work: Promise<T>): Promise<T> =>
  within(ANSWER_MS, work, () => new Error('the store did not answer in time'))

/** Does `work` so that the host is told of the subject's turn with each change that it is asked for. */
export const inTurnOf = <T>(
  { turns }: Pick<ServiceDeps, 'turns'>,
  leases: Leases,
  subject: string,
  work: () => Promise<T>,
): Promise<T> => {
  const turn = leases.turnOf(subject, turns?.getStore() ?? null)
  return turns === undefined || turn === null ? work() : turns.run(turn, work)
}

/** @param monotonicMs default: the process's own clock, which goes on while the process is stopped */
export const createLeases = (
  { store, log, instance, turns }: Pick<ServiceDeps, 'store' | 'log' | 'instance' | 'turns'>,
  monotonicMs: () => number = () => performance.now(),
): Leases => {
  if (instance === undefined)
    return {
      take: () => Promise.resolve(() => Promise.resolve()),
      tryTake: () => Promise.resolve(() => Promise.resolve()),
      termOf: () => undefined,
      turnOf: () => null,
      assertHeld: () => undefined,
      isUrged: () => Promise.resolve(false),
      ofOthers: () => Promise.resolve([]),
    }
  const held = new Map<string, Held>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let renewing = false
  /** What is written of leases themselves is bound to the turn of none. */
  const outside = <T>(work: () => Promise<T>): Promise<T> => turns?.run(null, work) ?? work()

  const renew = async (): Promise<void> => {
    timer = undefined
    renewing = true
    let pauseMs = RENEW_MS
    try {
      const asked = [...held.values()].map((lease) => ({ lease, term: lease.term }))
      // Before it is asked for: from then on the store counts.
      const atMs = monotonicMs()
      const terms = asked.map(({ term }) => term)
      const renewed = new Set(
        await inTime(outside(() => store.renewLeases(instance, terms, LEASE_MS))),
      )
      for (const { lease, term } of asked)
        // One that got another term meanwhile was held then.
        if (lease.term === term)
          lease.renewedMs = renewed.has(term) ? atMs : Number.NEGATIVE_INFINITY
    } catch (error) {
      pauseMs = AGAIN_MS
      log.warn('leases not renewed', { error: String(error) })
    }
    renewing = false
    plan(pauseMs)
  }
  const plan = (pauseMs: number): void => {
    if (held.size > 0 && !renewing) timer ??= setTimeout(() => void renew(), pauseMs)
  }

  const give = async (subject: string, lease: Held): Promise<void> => {
    held.delete(subject)
    if (held.size === 0) {
      if (timer !== undefined) clearTimeout(timer)
      timer = undefined
    }
    await outside(() => store.releaseLease(instance, lease.term)).catch((error: unknown) =>
      log.warn('lease not given back, it ends by itself', { subject, error: String(error) }),
    )
  }

  const tryTake = async (
    subject: string,
    urgent = false,
  ): Promise<(() => Promise<void>) | null> => {
    const renewedMs = monotonicMs()
    const order = { subject, holder: instance, ttlMs: LEASE_MS }
    const term = await outside(() =>
      store.takeLease(urgent ? { ...order, urgentMs: URGENT_MS } : order),
    )
    if (term === null) return null
    const lease: Held = { term, renewedMs, raising: Promise.resolve() }
    held.set(subject, lease)
    plan(RENEW_MS)
    return () => give(subject, lease)
  }

  const raise = async (subject: string, lease: Held, above: number): Promise<void> => {
    if (lease.term > above) return
    const term =
      held.get(subject) === lease
        ? await outside(() => store.raiseLease(instance, lease.term, above))
        : null
    if (term === null) throw new Superseded(subject)
    log.warn('a host knew a later turn than the records', { subject, above, term })
    lease.term = term
  }
  const turnOf = (subject: string, lease: Held, outer: Turn | null): Turn => ({
    subject,
    outer,
    get isOver() {
      return held.get(subject) !== lease
    },
    get term() {
      return lease.term
    },
    raise(above) {
      const raised = lease.raising.then(() => raise(subject, lease, above))
      lease.raising = raised.catch(() => undefined)
      return raised
    },
  })

  return {
    tryTake: (subject) => tryTake(subject),
    async take(subject, urgent) {
      const beganMs = monotonicMs()
      for (let look = 0; ; look += 1) {
        const release = await tryTake(subject, urgent)
        if (release !== null) return release
        if (monotonicMs() - beganMs > WAIT_MS)
          throw conflict(
            `${subject} is being changed by another instance of the panel. Try again when that is done.`,
          )
        await sleep(LOOK_MS[Math.min(look, LOOK_MS.length - 1)] ?? 250)
      }
    },
    termOf: (subject) => held.get(subject)?.term,
    turnOf(subject, outer) {
      const lease = held.get(subject)
      return lease === undefined ? null : turnOf(subject, lease, outer)
    },
    assertHeld(subject) {
      const lease = held.get(subject)
      if (lease === undefined) throw new Error(`nobody holds ${subject}`)
      if (monotonicMs() - lease.renewedMs > TRUST_MS) throw new Superseded(subject)
    },
    isUrged: (subject) => outside(() => store.isUrged(instance, subject)),
    ofOthers: () => store.subjectsOfOthers(instance),
  }
}
