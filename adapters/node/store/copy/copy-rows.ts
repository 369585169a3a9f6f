import { createHash } from 'node:crypto'
import type { StoreSide, StoreTable, StoredRow } from './store-side.ts'

/** Rows that are written at a time. */
const TOGETHER = 500

/** How far a copy is. */
export interface CopyProgress {
  table: string
  /** Rows of all tables so far. */
  rows: number
}

/** Referred ones before those that refer to them. */
const inOrder = (tables: readonly StoreTable[]): StoreTable[] => {
  const left = new Map(tables.map((table) => [table.name, table]))
  const ordered: StoreTable[] = []
  while (left.size > 0) {
    const free = [...left.values()].filter((table) =>
      table.refersTo.every((name) => name === table.name || !left.has(name)),
    )
    if (free.length === 0) throw new Error('Tables of the store refer to each other in a circle.')
    for (const table of free) {
      ordered.push(table)
      left.delete(table.name)
    }
  }
  return ordered
}

const sameColumns = (one: StoreTable, other: StoreTable | undefined): boolean =>
  other !== undefined && [...one.columns].sort().join() === [...other.columns].sort().join()

/** The rows of a table by their key, as one hash and their number. */
const digestOf = async (side: StoreSide, table: StoreTable): Promise<string> => {
  const hash = createHash('sha256')
  let rows = 0
  for await (const row of side.rows(table, false)) {
    hash.update(`${JSON.stringify(row)}\n`)
    rows += 1
  }
  return `${rows} rows, ${hash.digest('hex')}`
}

/**
 * Copies all rows of a store over those of another, which has the same version of the schema,
 * and reads both to compare them. Throws, with the table's name, where they differ: then the
 * caller undoes the transaction of the target.
 */
export const copyRows = async (
  from: StoreSide,
  to: StoreSide,
  tell: (progress: CopyProgress) => void = () => undefined,
): Promise<{ tables: number; rows: number }> => {
  const tables = inOrder(await from.tables())
  const known = new Map((await to.tables()).map((table) => [table.name, table]))
  const strange = tables.find((table) => !sameColumns(table, known.get(table.name)))
  if (strange !== undefined || known.size !== tables.length)
    throw new Error(
      `The stores have not the same tables${strange === undefined ? '' : `: ${strange.name}`}. Start Berth once on each, of the same version.`,
    )
  for (const table of tables.toReversed()) await to.clear(table)
  let rows = 0
  for (const table of tables) {
    let some: StoredRow[] = []
    const write = async (): Promise<void> => {
      await to.insert(table, some)
      rows += some.length
      some = []
      tell({ table: table.name, rows })
    }
    for await (const row of from.rows(table, true)) {
      some.push(row)
      if (some.length === TOGETHER) await write()
    }
    if (some.length > 0) await write()
    if (table.numbered) await to.setHighest(table, await from.highest(table))
  }
  for (const table of tables) {
    // In the order of the same columns on both sides.
    if ((await digestOf(from, table)) !== (await digestOf(to, table)))
      throw new Error(
        `The copy of the table ${table.name} is not like the original. Nothing was changed.`,
      )
    if (table.numbered && (await from.highest(table)) !== (await to.highest(table)))
      throw new Error(
        `Numbers of the table ${table.name} would be given twice. Nothing was changed.`,
      )
  }
  return { tables: tables.length, rows }
}
