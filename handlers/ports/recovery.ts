import type { Timestamp } from './store/records.ts'

/** An import that made this panel's accounts, their homes and databases empty. */
export interface PanelImport {
  /** Of the export. */
  id: string
  at: Timestamp
  /** Usernames. */
  accounts: readonly string[]
}

/** What is known of bringing this panel back, should its machine be lost; no secret. */
export interface RecoveryFacts {
  /** Whether this machine was brought back, and nobody has said yet that it is the live one. */
  held: boolean
  /** The last one; null: this panel began here. */
  imported: PanelImport | null
  /** UTC; null: no recovery kit was made. */
  kitMadeAt: string | null
  /** UTC; null: nobody has proved that the kit in force is kept. */
  kitVerifiedAt: string | null
  /** UTC, of the newest export of the panel; null: none was made on this machine. */
  exportedAt: string | null
  /** Programs of hooks, and virtual hosts by hand, that came with an import and wait to be confirmed. */
  hooksWaiting: number
  hostsWaiting: number
}
