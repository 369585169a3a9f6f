import type { ListQuery, Page } from './list-query.ts'
import type { BackedUpDatabase, Timestamp } from './records.ts'

/** A snapshot of an account as the panel knows it. */
export interface SnapshotRow {
  /** Also of an account that is gone. */
  account_id: number
  username: string
  /** `local`, or the name of a target. */
  location: string
  /** 64 hexadecimal digits. */
  id: string
  created_at: Timestamp
  scheduled: boolean
  size_bytes: number
  /** What its repository grew by; null where that is not known. */
  added_bytes: number | null
  files: number
  databases: BackedUpDatabase[]
  /** Files that could not be read. */
  unread: number
}

/** What a proof came to. */
export interface ProofFigures {
  /** Of `of` equal shares of all data, the one that was read. */
  share?: { nth: number; of: number }
  bytes?: number
  files?: number
  databases?: number
  tables?: number
  rows?: number
}

/** A backup that was proved, or could not be. */
export interface ProofRow {
  id: number
  /** Read back in its place, or restored for a test. */
  kind: 'check' | 'trial'
  account_id: number
  username: string
  location: string
  /** Snapshot that was restored; null: none, e.g. the whole repository was meant. */
  snapshot: string | null
  /** Archive that was read; null: none. */
  filename: string | null
  at: Timestamp
  seconds: number
  ok: boolean
  figures: ProofFigures
  /** Why it failed; null when it did not. */
  error: string | null
}

/** Records of snapshots and of proofs; both outlive their account's row. */
export interface SnapshotStore {
  /** Newest first unless sorted. */
  listSnapshots(query?: ListQuery): Promise<Page<SnapshotRow>>
  /** All that were ever made of accounts of this name in one place, whosever they are. */
  snapshotsAt(username: string, location: string): Promise<SnapshotRow[]>
  /** The newest of each account in each place. */
  newestSnapshots(): Promise<SnapshotRow[]>
  /** Inserts or replaces it. */
  putSnapshot(row: SnapshotRow): Promise<void>
  /** Gone already: no error. */
  deleteSnapshot(location: string, id: string): Promise<void>
  /** Newest first unless sorted. */
  listProofs(query?: ListQuery): Promise<Page<ProofRow>>
  /** The newest of each kind of each account and place. */
  latestProofs(): Promise<ProofRow[]>
  /** Notes one and answers it with its id, and forgets those from before `oldest` that are not the newest of their kind. */
  insertProof(row: Omit<ProofRow, 'id'>, oldest: Timestamp): Promise<ProofRow>
}
