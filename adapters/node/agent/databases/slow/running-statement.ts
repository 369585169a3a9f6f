/** A statement that a server runs now. */
export interface RunningStatement {
  /** The same as long as it runs. */
  id: string
  user: string
  /** In use; null: none. */
  database: string | null
  ms: number
  /** Its beginning, as the tenant wrote it. */
  text: string
}

/** So many are looked at, the longest first, and so much of the text of each. */
export const MOST_STATEMENTS = 200
/** Characters. */
export const MOST_TEXT = 4096
