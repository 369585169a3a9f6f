import type { Timestamp } from '../../store/records.ts'

/**
 * How a message is: `queued` waits for its turn or its next try, `kept` for a relay,
 * `refused` was never taken.
 */
export type MailState = 'queued' | 'kept' | 'sent' | 'failed' | 'refused'

/** What became of a message for one of those it goes to. */
export interface MailRecipient {
  address: string
  state: 'waiting' | 'sent' | 'failed'
  /** What the relay said last; null: nothing yet. */
  answer: string | null
}

/** One message; never its text. */
export interface MailRecord {
  id: string
  /** Account that sent it; null: the panel itself. */
  username: string | null
  state: MailState
  /** Where answers of the relay's go. */
  sender: string
  /** Address of From, as it goes out. */
  from: string
  /** What stood there, where it was replaced; null: it was not. */
  replacedFrom: string | null
  recipients: MailRecipient[]
  subject: string
  sizeBytes: number
  /** How often it was tried. */
  attempts: number
  createdAt: Timestamp
  /** When it is tried next; null when it is not. */
  nextAttemptAt: Timestamp | null
  endedAt: Timestamp | null
  /** What the relay said last, or why the message was refused. */
  answer: string | null
  /** Whether its text is still here. */
  hasSource: boolean
}

/** Which messages, and in which order. */
export interface MailSearch {
  /** Of this account; absent: of everybody. */
  username?: string
  /** The panel's own. */
  only?: 'panel'
  state?: MailState
  /** A part of sender, recipient or subject. */
  q?: string
  sort: 'created_at' | 'subject' | 'state' | 'size_bytes'
  order: 'asc' | 'desc'
  offset: number
  /** At most 1000. */
  limit: number
}

/** How the queue stands. */
export interface MailStatus {
  /** `host:port`; null: there is none, messages are kept. */
  relay: string | null
  /** Sender of the panel's own messages. */
  from: string
  /** What is wrong with the relay since when; null: nothing that is known. */
  trouble: { since: Timestamp; answer: string } | null
  /** Messages by state. */
  counts: Record<MailState, number>
  /** When the oldest of those that wait was taken. */
  oldestWaiting: Timestamp | null
  /** Bytes of all messages whose text is here. */
  storedBytes: number
  limits: {
    messageBytes: number
    recipients: number
    /** Of the whole server in an hour. */
    perHour: number
    retryHours: number
    keepDays: number
    storedBytes: number
    logDays: number
  }
}

/** What an account sent, and may. Counted by recipients. */
export interface MailAllowance {
  lastHour: number
  lastDay: number
  perHour: number
  perDay: number
}

/** Something that somebody is to be told of. */
export interface MailNews {
  seq: number
  at: Timestamp
  /** `failed`: a message was given up; `limited`: an account reached its limit; at most one of these an hour. */
  kind: 'failed' | 'limited'
  /** Null: the panel's own. */
  username: string | null
  /** Id of the message; null: none. */
  message: string | null
  /** What happened, in a sentence. */
  told: string
}

/** The queue of outgoing mail, and what became of messages. */
export interface MailQueuePort {
  /** Also without a relay. */
  status(): Promise<MailStatus>
  /** Of an account that never sent anything there are zeros. */
  allowance(input: { username: string }): Promise<MailAllowance>
  /**
   * Says how many mails an account may send in an hour, by recipients (in 24 hours ten times as
   * many), and which of its domains stands in a sender's address where a message names none of them.
   */
  setAccount(input: { username: string; perHour: number; mainDomain: string }): Promise<void>
  /** `total` counts what `offset` and `limit` leave out, too. */
  list(search: MailSearch): Promise<{ rows: MailRecord[]; total: number }>
  /** 404 when there is none. */
  message(input: { id: string }): Promise<MailRecord>
  /** The beginning of a message as it goes out, at most 256 kB, bytes that are no UTF-8 replaced. 404 when it is not here any more. */
  source(input: { id: string }): Promise<{ text: string; truncated: boolean }>
  /** Tries a message now, also one that was given up. 404, or 409 when it was sent or its text is gone. */
  retry(input: { id: string }): Promise<MailRecord>
  /** Removes a message from queue and list. 404; 409 while it is being sent. */
  remove(input: { id: string }): Promise<void>
  /** What is to be told, oldest first, at most 100; what `acknowledged` and smaller numbers name is forgotten. */
  takeNews(input: { acknowledged: number }): Promise<MailNews[]>
}
