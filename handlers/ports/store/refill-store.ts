import type { Timestamp } from './records.ts'

/** What became of bringing back the content of an account that an import of the panel left empty. */
export interface RefillRow {
  /** Of the import. */
  import_id: string
  account_id: number
  /** `none`: it has no backup. */
  state: 'done' | 'none' | 'failed'
  /** The backup that was, or was to be, brought back: an archive's name or a snapshot's id. */
  backup: string | null
  location: string | null
  /** When the backup was made. */
  backed_up_at: Timestamp | null
  files: number
  bytes: number
  databases: number
  /** What is otherwise than it was, and why, each in a sentence. */
  notes: string[]
  ended_at: Timestamp
}

/** Part of the store: what followed an import of the panel. */
export interface RefillStore {
  /** Those of one import, by account. */
  refillsOf(importId: string): Promise<RefillRow[]>
  /** In place of an earlier one of the same account and import. */
  putRefill(row: RefillRow): Promise<void>
}
