import { isAppError } from '../../errors.ts'
import type { OperationRow } from '../../ports/store/records.ts'
import type { Report } from '../../ports/jobs.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { createKeyedLock } from './keyed-lock.ts'
import { createLeases, inTurnOf, Superseded } from './leases.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** One step of an operation. It may run again after a crash, so it must not mind having run before. */
export interface Step {
  name: string
  /** Rejecting makes the operation fail here. */
  run(): Promise<void>
  /** What it does in a few words, for whom follows the work. Default: the name. */
  text?: string
}

/**
 * How operations of one kind are settled: `undo` runs the settling steps of a
 * creation that did not reach its end, `finish` runs what a deletion or
 * suspension has not done yet. Built from the journal's row alone, which holds
 * no password.
 */
export interface OperationKind {
  kind: string
  settle: 'undo' | 'finish'
  /** It may take minutes: nobody waits for it when all that is open is settled. */
  takesLong?: boolean
  /** In the order in which they run. */
  steps(operation: OperationRow): Step[]
}

/**
 * What to do about an older operation that cannot be settled: `refuse` the new
 * one, `leave` the old one open for later, or `close` it because the new one
 * does everything that it would have done.
 */
export type StuckVerdict = 'refuse' | 'leave' | 'close'

/** Who is told how operations end that did not end well. */
export interface JournalListener {
  /** One was undone, or finished. */
  settled(operation: OperationRow): Promise<void>
  /** One could not be settled, and stays open until a later attempt. */
  stuck(): void
}

/** Steps with a memory; see `docs/architecture/consistency.md`. */
export interface Journal {
  /** Once for each kind, before anything is settled. */
  register(kind: OperationKind): void
  /** A row for `kind`, not stored yet: the store's methods open it with the change it belongs to. */
  newOperation(
    kind: string,
    subject: string,
    data: Record<string, unknown>,
    report?: Report,
  ): OperationRow
  /**
   * Serialises everything that changes `subject`, after settling what an
   * earlier failure left open there. Throws 401, 403 or 404 when whoever asked
   * has lost the right meanwhile. When that is still impossible `whenStuck`
   * decides per operation; by default its failure is thrown. `urgent` work goes
   * before all that waits: queued changes must not postpone a suspension.
   */
  exclusively<T>(
    subject: string,
    work: () => Promise<T>,
    whenStuck?: (operation: OperationRow) => StuckVerdict,
    urgent?: boolean,
  ): Promise<T>
  /** Subjects that something changes now, in this instance of the panel and others. */
  busy(): Promise<string[]>
  /** Whether urgent work waits for the turn that runs, here or in another instance: what may take hours gives way. */
  isUrged(subject: string): Promise<boolean>
  /** Subjects of which something could not be settled so far, as far as this process knows. */
  stuck(): string[]
  /** Runs the steps of a creation; on failure the operation is undone and the failure thrown. */
  create(operation: OperationRow, steps: Step[], report?: Report): Promise<void>
  /** Runs the registered steps to their end; on failure they are tried again later and the failure thrown. */
  finish(operation: OperationRow, report?: Report): Promise<void>
  /**
   * Settles all open operations that began at least `olderThanSecs` ago (default 0), but for those
   * that another instance is at work on.
   */
  settleOpenOperations(options?: { olderThanSecs?: number }): Promise<void>
  /** Settles what an instance that ended has left open; to be called about four times a minute. */
  settleAbandoned(): Promise<void>
  /** Settles what is open of these subjects, one after the other; what fails is tried again later. */
  settleSubjects(subjects: Iterable<string>): Promise<void>
}

const RETRY_DELAYS_MS = [250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 60_000, 120_000, 300_000]

/** Between two looks at operations that nobody seems to be at work on. */
const SURE_MS = 1000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const createJournal = (
  deps: Pick<
    ServiceDeps,
    'store' | 'clock' | 'log' | 'background' | 'judges' | 'instance' | 'turns'
  >,
  told: JournalListener = { settled: () => Promise.resolve(), stuck: () => undefined },
): Journal => {
  const { store, clock, log, background, judges } = deps
  const kinds = new Map<string, OperationKind>()
  const leases = createLeases(deps)
  const locks = createKeyedLock(judges, (subject, urgent) => leases.take(subject, urgent))
  /** Does it in the subject's turn, which goes with all that the host is asked for meanwhile. */
  const inTurn = <T>(subject: string, work: () => Promise<T>, urgent?: boolean): Promise<T> =>
    locks.run(subject, () => inTurnOf(deps, leases, subject, work), urgent)
  /** Subjects that a retry is already waiting for. */
  const retrying = new Set<string>()
  const stuck = new Set<string>()
  /** Subjects that were left by an instance that ended, and are being settled. */
  const settling = new Set<string>()

  /** Runs a step unless its subject may be another instance's by now. */
  const runStep = async (subject: string, step: Step): Promise<void> => {
    leases.assertHeld(subject)
    await step.run()
  }
  const recordStep = async ({ id, subject, steps }: OperationRow, step: string): Promise<void> => {
    if (!(await store.recordStep(id, step, leases.termOf(subject)))) throw new Superseded(subject)
    steps.push(step)
  }
  const close = async ({ id, subject }: OperationRow, state: 'done' | 'undone'): Promise<void> => {
    const term = leases.termOf(subject)
    const isClosed = await store.closeOperation(id, state, term)
    if (!isClosed && term !== undefined) throw new Superseded(subject)
  }

  const settle = async (operation: OperationRow, report?: Report): Promise<void> => {
    const kind = kinds.get(operation.kind)
    if (kind === undefined) throw new Error(`no such kind of operation: ${operation.kind}`)
    const finishing = kind.settle === 'finish'
    const steps = kind.steps(operation)
    for (const [index, step] of steps.entries()) {
      if (finishing && operation.steps.includes(step.name)) continue
      report?.(step.text ?? step.name, undefined, (100 * index) / steps.length)
      await runStep(operation.subject, step)
      if (finishing) await recordStep(operation, step.name)
    }
    leases.assertHeld(operation.subject)
    await close(operation, finishing ? 'done' : 'undone')
    await told
      .settled(operation)
      .catch((error: unknown) =>
        log.warn('end of an operation not told', { operation: operation.id, error: String(error) }),
      )
  }

  const openOf = async (subject: string): Promise<OperationRow[]> =>
    (await store.openOperations()).filter((operation) => operation.subject === subject)

  const settleSubject = async (
    subject: string,
    whenStuck: (operation: OperationRow) => StuckVerdict = () => 'refuse',
  ): Promise<void> => {
    let isWhole = true
    for (const operation of await openOf(subject)) {
      try {
        await settle(operation)
      } catch (error) {
        isWhole = false
        if (error instanceof Superseded) throw error
        const verdict = whenStuck(operation)
        if (verdict === 'refuse') throw error
        log.warn('open operation overtaken', {
          operation: operation.id,
          kind: operation.kind,
          subject,
          verdict,
          error: String(error),
        })
        if (verdict === 'close') await close(operation, 'undone')
      }
    }
    if (isWhole) stuck.delete(subject)
  }

  const retryLater = (subject: string): void => {
    stuck.add(subject)
    told.stuck()
    if (retrying.has(subject)) return
    retrying.add(subject)
    background.run(`settle ${subject}`, async () => {
      try {
        for (const delayMs of RETRY_DELAYS_MS) {
          await sleep(delayMs)
          try {
            await inTurn(subject, () => settleSubject(subject))
            log.info('open operation settled', { subject })
            return
          } catch (error) {
            log.warn('open operation could not be settled yet', { subject, error: String(error) })
          }
        }
        log.error('open operation given up until the next start', { subject })
      } finally {
        retrying.delete(subject)
      }
    })
  }

  /** Settles now, or leaves it to the background. */
  const settleOrRetry = async (operation: OperationRow, report?: Report): Promise<void> => {
    try {
      await settle(operation, report)
    } catch (error) {
      log.error('operation left open', {
        operation: operation.id,
        kind: operation.kind,
        subject: operation.subject,
        error: String(error),
      })
      // What another instance took over is its to settle.
      if (!(error instanceof Superseded)) retryLater(operation.subject)
      throw error
    }
  }

  const settleSubjects = async (subjects: Iterable<string>): Promise<void> => {
    for (const subject of subjects) {
      await inTurn(subject, () => settleSubject(subject)).catch((error: unknown) => {
        log.error('open operation not settled', { subject, error: String(error) })
        retryLater(subject)
      })
    }
  }

  return {
    settleSubjects,
    register(kind) {
      kinds.set(kind.kind, kind)
    },
    newOperation: (kind, subject, data, report) => ({
      id: crypto.randomUUID(),
      kind,
      subject,
      state: 'open',
      steps: [],
      data: report?.jobId === undefined ? data : { ...data, job_id: report.jobId },
      created_at: timestamp(clock.nowMs()),
    }),
    exclusively: (subject, work, whenStuck, urgent) =>
      inTurn(
        subject,
        async () => {
          await settleSubject(subject, whenStuck)
          return work()
        },
        urgent,
      ),
    busy: async () => [...locks.held(), ...(await leases.ofOthers())],
    isUrged: async (subject) => locks.isUrged(subject) || leases.isUrged(subject),
    stuck: () => [...stuck],
    async create(operation, steps, report) {
      try {
        for (const [index, step] of steps.entries()) {
          report?.(step.text ?? step.name, undefined, (100 * index) / steps.length)
          await runStep(operation.subject, step)
          await recordStep(operation, step.name)
        }
        leases.assertHeld(operation.subject)
        await close(operation, 'done')
      } catch (error) {
        if (error instanceof Superseded) throw error
        if (!isAppError(error)) {
          log.error('step failed, undoing', { operation: operation.id, kind: operation.kind })
        }
        // The first failure is what the caller must hear of, not a failing undo.
        await settleOrRetry(operation).catch(() => undefined)
        throw error
      }
    },
    finish: settleOrRetry,
    async settleOpenOperations({ olderThanSecs = 0 } = {}) {
      const latest = timestamp(clock.nowMs() - olderThanSecs * 1000)
      const subjects = new Set<string>()
      const long = new Set<string>()
      const others = new Set(await leases.ofOthers())
      for (const { kind, subject, created_at } of await store.openOperations())
        if (created_at <= latest && !others.has(subject))
          (kinds.get(kind)?.takesLong === true ? long : subjects).add(subject)
      for (const subject of long)
        background.run(`settle ${subject}`, () => settleSubjects([subject]))
      await settleSubjects(subjects)
    },
    async settleAbandoned() {
      const seen = new Set((await store.unattendedOperations()).map(({ id }) => id))
      if (seen.size === 0) return
      // What ends as soon as it is written down has no turn of its own, and is gone by then.
      await sleep(SURE_MS)
      const abandoned = (await store.unattendedOperations()).filter(({ id }) => seen.has(id))
      for (const subject of new Set(abandoned.map((one) => one.subject)))
        // Its own are tried again by itself.
        if (!retrying.has(subject) && !settling.has(subject)) {
          settling.add(subject)
          background.run(`settle ${subject}`, () =>
            settleSubjects([subject]).finally(() => settling.delete(subject)),
          )
        }
    },
  }
}
