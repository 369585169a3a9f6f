import { z } from 'zod'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import type { ArchiveContents } from '../../ports/host/backups/backups.ts'
import type { KeptRestore } from '../../ports/host/backups/restore-parts.ts'
import type { KeptSettings } from '../../services/backups/settings/settings-restores.ts'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

/** A copy of a backup. */
export const backupSchema = named('Backup', {
  filename: z.string().describe('<username>-<YYYYMMDD>-<HHMMSS>.tar.gz, UTC.'),
  account_id: recordId(),
  username: z.string(),
  size_bytes: count(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: timestamp(),
  databases: z.array(
    z.object({
      engine: z.enum(['mariadb', 'mysql', 'postgresql']),
      database: z.string(),
    }),
  ),
  skipped: count().describe(
    'How many files and directories of the home are not in it: devices, pipes, links that lead out of the home, and what the account itself may not read.',
  ),
  skipped_paths: z.array(z.string()).describe('The first of them, at most 20, below the home.'),
  scheduled: z
    .boolean()
    .describe("Made by the daily schedule; such backups do not count towards the plan's number."),
  location: z.string().describe('"local", or the name of a remote target.'),
  verified: z.literal(true).describe('The archive and every dump were read back.'),
  status: z.literal('completed'),
})

/** What a restore of settings did not take over; empty for files and databases. */
export const restoreNotes = {
  notes: z
    .array(z.string())
    .describe('Of settings, what was not taken over, each in a sentence; else empty.'),
}

/** A backup that was restored. */
export const restoredBackupSchema = named('RestoredBackup', {
  ...backupSchema.shape,
  ...restoreNotes,
})

/** A remote target, without its secrets. */
export const remoteTargetSchema = named('RemoteTarget', {
  name: z.string(),
  type: z.enum(['s3', 'sftp']),
  source: z
    .enum(['configuration', 'panel'])
    .describe('Where it was set up; one of berth.toml is changed there alone.'),
  endpoint: z.string(),
  bucket: z.string().nullable(),
  path: z.string().nullable(),
  region: z.string().nullable(),
  username: z.string().nullable(),
  access_key_id: z.string().nullable(),
  host_key: z
    .string()
    .nullable()
    .describe('Fingerprint of the key that the SFTP server must have, SHA256:…'),
  is_default: z.boolean(),
  allow_private: z.boolean().describe('Whether it may lie in a private network.'),
})

/** What a test of a target came to. */
export const targetTrialSchema = named('TargetTrial', {
  can_list: z.boolean().describe('Whether what lies there can be listed; imports need it.'),
  can_remove: z
    .boolean()
    .describe('Whether files can be removed; not so where the key may add alone.'),
})

/** A target that was kept. */
export const keptTargetSchema = z.object({ target: remoteTargetSchema, trial: targetTrialSchema })

/** The key of a server. */
export const serverKeySchema = z.object({
  type: z.string().describe('E.g. ssh-ed25519.'),
  fingerprint: z.string().describe('SHA256:…, as ssh-keygen shows it.'),
})

const copy = { filename: z.string(), location: z.string() }

/** What a cleanup did. */
export const cleanupSchema = z.object({
  removed: z.array(z.object(copy)),
  failed: z.array(z.object({ ...copy, error: z.string() })),
})

const database = z.object({
  engine: z.enum(['mariadb', 'mysql', 'postgresql']),
  database: z.string(),
})
const chosen = <Item extends z.ZodType>(item: Item) =>
  z.union([z.enum(['all', 'none']), z.array(item)])

/** A restore of the last day. */
export const keptRestoreSchema = named('Restore', {
  id: z.string(),
  restored_at: timestamp(),
  until: timestamp().describe('Until then it can be undone.'),
  backup: z.string().nullable().describe('Name of the archive; null: it was something else.'),
  snapshot: z.string().nullable(),
  dump: z
    .string()
    .nullable()
    .describe('File of the home that a database was imported from; null: it was no import.'),
  location: z.string().describe('"local" of an import.'),
  is_undo: z.boolean().describe('Whether it has itself undone an earlier restore.'),
  files: chosen(z.string()),
  databases: chosen(database),
  settings: z
    .boolean()
    .describe('Whether it brought settings, and nothing else; only administrators undo that.'),
  lost: z
    .enum(['quota', 'disk', 'removed'])
    .nullable()
    .describe(
      'Why it cannot be undone: too little of the quota or disk was left, or the folder was removed.',
    ),
})

export const keptRestoreView = (one: KeptRestore): z.output<typeof keptRestoreSchema> => ({
  id: one.id,
  restored_at: one.restoredAt,
  until: one.until,
  backup: one.from.kind === 'archive' ? one.from.filename : null,
  snapshot: one.from.kind === 'snapshot' ? one.from.snapshotId : null,
  dump: one.from.kind === 'dump' ? one.from.path : null,
  location: one.from.kind === 'dump' ? LOCAL : one.from.location,
  is_undo: one.isUndo,
  files: typeof one.parts.files === 'string' ? one.parts.files : [...one.parts.files],
  databases:
    typeof one.parts.databases === 'string' ? one.parts.databases : [...one.parts.databases],
  settings: false,
  lost: one.lost,
})

/** A restore that was undone, which is a restore too. */
export const undoneRestoreSchema = named('UndoneRestore', {
  ...keptRestoreSchema.shape,
  ...restoreNotes,
})

/** A restore of settings among the others. */
export const keptSettingsView = (one: KeptSettings): z.output<typeof keptRestoreSchema> => ({
  ...keptRestoreView({ ...one, parts: { files: 'none', databases: 'none' }, lost: null }),
  settings: true,
})

/** What is in a folder of a backup. */
export const contentsSchema = z.object({
  entries: z.array(
    z.object({
      path: z.string().describe('Below the home.'),
      type: z.enum(['file', 'directory', 'symlink']),
      size_bytes: count(),
      mode: z.string().describe('Octal digits, e.g. 644.'),
      modified_at: z.string().describe('UTC; empty where the archive does not tell.'),
    }),
  ),
  total: count().describe('Of the folder; a page has at most 1,000.'),
  databases: z.array(database).describe('That the whole backup holds.'),
})

export const contentsView = (found: ArchiveContents): z.output<typeof contentsSchema> => ({
  ...found,
  entries: found.entries.map(({ sizeBytes, modifiedAt, ...entry }) => ({
    ...entry,
    size_bytes: sizeBytes,
    modified_at: modifiedAt,
  })),
})
