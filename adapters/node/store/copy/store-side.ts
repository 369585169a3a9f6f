/** A table of a store. */
export interface StoreTable {
  name: string
  columns: readonly string[]
  /** Whose values, together, are another one's in no other row. */
  key: readonly string[]
  /** Whether its rows are numbered by the store. */
  numbered: boolean
  /** Tables that its rows refer to. */
  refersTo: readonly string[]
}

/** Values of a row, in the order of the table's columns. */
export type StoredRow = readonly (string | number | null)[]

/** A database with a store, within one transaction. */
export interface StoreSide {
  /** All but the one with the versions of the schema. */
  tables(): Promise<StoreTable[]>
  /** By its key, or in the order in which they came, where `asMade` says so. */
  rows(table: StoreTable, asMade: boolean): AsyncIterable<StoredRow>
  clear(table: StoreTable): Promise<void>
  insert(table: StoreTable, rows: readonly StoredRow[]): Promise<void>
  /** The highest number that a row had, also one that is gone: none comes back. */
  highest(table: StoreTable): Promise<number>
  setHighest(table: StoreTable, highest: number): Promise<void>
}
