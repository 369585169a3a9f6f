import { z } from 'zod'
import { count, named, recordId, timestamp } from '../../frame/common-schemas.ts'
import { restoreNotes } from '../schema.ts'

const engine = z.enum(['mariadb', 'mysql', 'postgresql'])
const digits = () => z.string().regex(/^[0-9a-f]{64}$/)

/** A snapshot of an account. */
export const snapshotSchema = named('Snapshot', {
  id: digits(),
  account_id: recordId(),
  username: z.string(),
  location: z.string().describe('"local", or the name of a remote target.'),
  created_at: timestamp(),
  scheduled: z
    .boolean()
    .describe("Made by a schedule; such snapshots do not count towards the plan's number."),
  size_bytes: count().describe('Of all files and dumps, as they are in the account.'),
  added_bytes: count().nullable().describe('What its repository grew by; null: that is not known.'),
  files: count(),
  databases: z.array(z.object({ engine, database: z.string() })),
  unread: count().describe('How many files could not be read and are not in it.'),
})

/** A snapshot that was restored from. */
export const restoredSnapshotSchema = named('RestoredSnapshot', {
  ...snapshotSchema.shape,
  ...restoreNotes,
})

/** A file, folder or link in a snapshot. */
export const snapshotEntrySchema = named('SnapshotEntry', {
  path: z.string().describe('Below the home.'),
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  size_bytes: count(),
  mode: z.string().describe('Octal digits.'),
  modified_at: timestamp(),
})

/** A folder of a snapshot. */
export const snapshotFolderSchema = z.object({
  path: z.string().describe('Below the home; empty: the home itself.'),
  entries: z.array(snapshotEntrySchema).describe('By name, at most 1,000.'),
  total: count().describe('Entries of the folder.'),
})

/** A proof that a backup can be restored, or cannot. */
export const proofSchema = named('BackupProof', {
  id: recordId(),
  kind: z
    .enum(['check', 'trial'])
    .describe('check: data was read back in its place; trial: a test restore.'),
  account_id: recordId(),
  username: z.string(),
  location: z.string(),
  snapshot: digits().nullable().describe('Snapshot that was restored.'),
  filename: z
    .string()
    .nullable()
    .describe('Archive that was read, of an account without snapshots.'),
  at: timestamp(),
  seconds: z.number().min(0),
  ok: z.boolean(),
  figures: z.object({
    share: z
      .object({ nth: z.int().min(1), of: z.int().min(1) })
      .optional()
      .describe('Of so many equal shares of the repository, the one that was read.'),
    bytes: count().optional(),
    files: count().optional(),
    databases: count().optional(),
    tables: count().optional(),
    rows: count().optional(),
  }),
  error: z.string().nullable(),
})
