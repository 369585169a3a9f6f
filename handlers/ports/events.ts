import type { Timestamp } from './store/records.ts'

/** An end of an operation that hooks and webhooks have not all heard of. */
export interface EventRow {
  id: number
  at: Timestamp
  /** `<kind of the operation>:<done|undone>`. */
  ending: string
  subject: string
  /** Of the operation. */
  data: unknown
  /** By listener: how often it was tried in vain, or -1 when it needs no more. */
  tries: Readonly<Record<string, number>>
  /** Unix seconds before which it is not tried. */
  next_at_secs: number
}

/** Records of events; the ends of operations are noted with the change that ends them. */
export interface EventStore {
  /** Notes an end that no operation of the journal has. */
  insertEvent(event: Pick<EventRow, 'at' | 'ending' | 'subject'> & { data: object }): Promise<void>
  /** Those that are due, oldest first. */
  dueEvents(nowSecs: number, limit: number): Promise<EventRow[]>
  /** Notes a round of telling. No effect when the event is gone. */
  updateEvent(id: number, change: Pick<EventRow, 'tries' | 'next_at_secs'>): Promise<void>
  /**
   * For an event that all listeners have heard of, or were tried for in vain. Gone already:
   * no error.
   */
  deleteEvent(id: number): Promise<void>
}
