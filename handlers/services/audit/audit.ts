import { timestamp } from '../../domain/text/timestamp.ts'
import type { AuditQuery } from '../../ports/store/access-store.ts'
import type { AuditRow } from '../../ports/store/records.ts'
import type { Page } from '../../ports/store/store.ts'
import type { ServiceDeps } from '../service-deps.ts'

const RETENTION_DAYS = 90
/** Of administrators, of accounts and of nobody known, each for itself. */
const MAX_ROWS_PER_ROLE = 50_000
/** These stay of every administrator and account beyond that, whatever others do; until they are too old. */
const MIN_ROWS_PER_ACTOR = 100
/** Entries are pruned about as often as one in this many is written. */
const PRUNE_EVERY = 500
/** What one list answers at most. */
const MAX_LISTED = 1000
/** More are dropped with a line in the log: a store that does not answer must not fill the memory. */
const MAX_WAITING = 10_000
const MAX_BATCH = 50
const MAX_TEXT = 500
/** How long a list waits for what was noted before. */
const WRITTEN_WITHIN_MS = 2000
const LOOK_MS = 10

/** What happened, without the time. */
export type AuditEvent = Omit<AuditRow, 'id' | 'at' | 'result' | 'reseller_id'> &
  Partial<Pick<AuditRow, 'reseller_id'>>

/** The log of who did what. */
export interface Audit {
  /** Notes an event. Never throws and never waits: it is written after the response. */
  record(event: AuditEvent): void
  /** Newest first, the newest thousand unless pages are asked for. */
  list(query: AuditQuery): Promise<Page<AuditRow>>
}

const resultOf = (status: number): AuditRow['result'] => {
  if (status < 400) return 'done'
  return status < 500 ? 'denied' : 'failed'
}

export const createAudit = (
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'log' | 'background'>,
): Audit => {
  const { store, clock, log, background } = deps
  let waiting: Omit<AuditRow, 'id'>[] = []
  let scheduled = false

  /** Batches that are being written. */
  let writing = 0

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      const latest = await store.insertAudit(batch)
      if (latest % PRUNE_EVERY >= batch.length) continue
      const before = timestamp(clock.nowMs() - RETENTION_DAYS * 86_400_000)
      await store.pruneAudit(before, {
        mostPerRole: MAX_ROWS_PER_ROLE,
        leastPerActor: MIN_ROWS_PER_ACTOR,
      })
    }
  }

  const flush = async (): Promise<void> => {
    writing++
    try {
      await write()
    } finally {
      writing--
    }
  }
  /** What another request began to write is looked for: in a Worker none may wait for the promise of another. */
  const written = async (): Promise<void> => {
    await flush()
    for (let ms = 0; writing > 0 && ms < WRITTEN_WITHIN_MS; ms += LOOK_MS)
      await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS))
  }

  const flushLater = async (): Promise<void> => {
    // Writing waits for the disk: the response goes first, and what comes together is written together.
    await new Promise<void>((resolve) => setTimeout(resolve, 20))
    scheduled = false
    try {
      await flush()
    } catch (error) {
      log.error('audit entries were not written', { error: String(error) })
    }
  }

  return {
    record(event) {
      if (waiting.length >= MAX_WAITING) {
        log.error('an audit entry was dropped', { action: event.action, actor: event.actor })
        return
      }
      waiting.push({
        reseller_id: null,
        ...event,
        target: event.target.slice(0, MAX_TEXT),
        at: timestamp(clock.nowMs()),
        result: resultOf(event.status),
      })
      if (scheduled) return
      scheduled = true
      background.run('write the audit log', flushLater)
    },
    async list(query) {
      await written()
      return store.listAudit(
        query.perPage === undefined ? { ...query, perPage: MAX_LISTED } : query,
      )
    },
  }
}
