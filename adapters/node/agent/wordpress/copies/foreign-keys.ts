import { createHash } from 'node:crypto'
import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'

const name = z.string().min(1).max(64)
const rule = z.enum(['RESTRICT', 'CASCADE', 'SET NULL', 'NO ACTION', 'SET DEFAULT'])
const keySchema = z.object({
  table: name,
  name,
  columns: z.array(name).min(1).max(64),
  to: name,
  toColumns: z.array(name).min(1).max(64),
  /** Whether it refers to another database. */
  elsewhere: z.boolean(),
  onUpdate: rule,
  onDelete: rule,
})
/** The foreign keys of a database, as the runner tells them and operations keep them. */
export const foreignKeysSchema = z.array(keySchema).max(2000)

/** A foreign key: `table` refers to `to`. */
export type ForeignKey = z.output<typeof keySchema>

/** Those that bind tables of a list to each other. */
export const keysWithin = (
  keys: readonly ForeignKey[],
  tables: readonly string[],
): ForeignKey[] => {
  const has = new Set(tables)
  return keys.filter(({ table, to, elsewhere }) => !elsewhere && has.has(table) && has.has(to))
}

/** By table, what foreign keys bind directly to it. */
export const bondsOf = (keys: readonly ForeignKey[]): Map<string, Set<string>> => {
  const bonds = new Map<string, Set<string>>()
  const add = (one: string, other: string) => {
    if (one !== other) bonds.set(one, (bonds.get(one) ?? new Set()).add(other))
  }
  for (const { table, to, elsewhere } of keys) {
    if (elsewhere) continue
    add(table, to)
    add(to, table)
  }
  return bonds
}

/**
 * 409 where tables cannot be exchanged by themselves: a foreign key of the copy leads out of the
 * list or into it, or one of the site leads into it from a table that stays.
 */
export const assertUnbound = (
  copy: readonly ForeignKey[],
  live: readonly ForeignKey[],
  tables: readonly string[],
): void => {
  const has = new Set(tables)
  for (const key of copy) {
    const { table, to } = key
    if (key.elsewhere && has.has(table))
      throw conflict(
        `The table ${table} refers by the foreign key ${key.name} to another database, which a copy has no part in. Push the other tables, or remove that key from the copy.`,
      )
    if (key.elsewhere || has.has(table) === has.has(to)) continue
    throw conflict(
      `The foreign key ${key.name} binds the tables ${table} and ${to}: one alone would refer to rows of before. Push both of them, or neither.`,
    )
  }
  for (const { table, to, name: id, elsewhere } of live) {
    if (elsewhere || !has.has(to) || has.has(table)) continue
    throw conflict(
      `The site's table ${table} refers by the foreign key ${id} to ${to}, and does not come from the copy: it would refer to rows of before. Push without ${to}, or remove that key from the site first.`,
    )
  }
}

/** What foreign keys are called while those of before have their names: a name is one in its whole database. */
export const knownAs = (pushId: string, index: number): string =>
  `berth_k_${createHash('sha256').update(pushId).digest('hex').slice(0, 12)}_${index}`
