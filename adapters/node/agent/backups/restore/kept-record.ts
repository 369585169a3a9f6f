import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../../../layout/write-whole.ts'

const engine = z.enum(['mariadb', 'mysql', 'postgresql'])
const databases = z.array(z.object({ engine, database: z.string() }))
const location = z.string()

const keptRecordSchema = z.object({
  id: z.string(),
  username: z.string(),
  uid: z.number(),
  /** Folder of the home that what was there lies in; its name is nobody else's, so it tells one account from a later one. */
  staging: z.string(),
  restoredAt: z.string(),
  until: z.string(),
  from: z.union([
    z.object({ kind: z.literal('archive'), filename: z.string(), location }),
    z.object({ kind: z.literal('snapshot'), snapshotId: z.string(), location }),
    z.object({ kind: z.literal('dump'), path: z.string() }),
  ]),
  isUndo: z.boolean(),
  parts: z.object({
    files: z.union([z.enum(['all', 'none']), z.array(z.string())]),
    databases: z.union([z.enum(['all', 'none']), databases]),
  }),
  /** Where the chosen paths were exchanged; null: the whole home, or nothing of it. */
  places: z.array(z.string()).nullable(),
  /** Those that there are dumps of from before. */
  dumps: databases,
  lost: z.enum(['quota', 'disk', 'removed']).nullable(),
})

/** What is known of a restore while it lasts, and while it can be undone. */
export type KeptRecord = z.output<typeof keptRecordSchema>

const FILE = 'restore.json'

/** Writes it into a directory of ours; it is on the disk then. */
export const writeRecord = (directory: string, record: KeptRecord): void =>
  writeWhole(path.join(directory, FILE), JSON.stringify(record), { mode: 0o600 })

/** Null where none was written. */
export const readRecord = async (directory: string): Promise<KeptRecord | null> => {
  const text = await readFile(path.join(directory, FILE), 'utf8').catch(() => null)
  if (text === null) return null
  const parsed = keptRecordSchema.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : null
}
