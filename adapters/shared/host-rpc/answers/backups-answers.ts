import { z } from 'zod'
import { engine } from '../argument-shapes.ts'
import { change, done, few, line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'
import { restoredFilesAnswer } from './shared-answers.ts'

const backedUpDatabaseAnswer = z.object({ engine: engine, database: short })

const backupFactsAnswer = z.object({
  sizeBytes: z.number(),
  sha256: short,
  databases: many(backedUpDatabaseAnswer),
  skipped: z.number(),
  skippedPaths: many(line),
})

const restoredFromAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('archive'), filename: line, location: line }),
  z.object({ kind: z.literal('snapshot'), snapshotId: line, location: line }),
  z.object({ kind: z.literal('dump'), path: line }),
])

const restorePartsAnswer = z.object({
  files: z.union([many(line), z.literal('all'), z.literal('none')]),
  databases: z.union([z.literal('all'), z.literal('none'), many(backedUpDatabaseAnswer)]),
})

const keptRestoreAnswer = z.object({
  id: short,
  restoredAt: line,
  until: short,
  from: restoredFromAnswer,
  isUndo: z.boolean(),
  parts: restorePartsAnswer,
  lost: z.enum(['quota', 'disk', 'removed']).nullable(),
})

const snapshotEntryAnswer = z.object({
  path: line,
  type: z.enum(['file', 'directory', 'symlink']),
  sizeBytes: z.number(),
  mode: short,
  modifiedAt: line,
})

const archiveContentsAnswer = z.object({
  entries: many(snapshotEntryAnswer),
  total: z.number(),
  databases: many(backedUpDatabaseAnswer),
})

const remoteTargetAnswer = z.object({
  name: short,
  type: z.enum(['sftp', 's3']),
  source: z.enum(['configuration', 'panel']),
  endpoint: line,
  bucket: line.nullable(),
  path: line.nullable(),
  region: short.nullable(),
  username: short.nullable(),
  access_key_id: line.nullable(),
  host_key: line.nullable(),
  is_default: z.boolean(),
  allow_private: z.boolean(),
})

const snapshotFactsAnswer = z.object({
  id: short,
  createdAt: short,
  scheduled: z.boolean(),
  sizeBytes: z.number(),
  addedBytes: z.number().nullable(),
  files: z.number(),
  databases: many(backedUpDatabaseAnswer),
  unread: z.number(),
})

const snapshotResultAnswer = z.union([
  z.object({ kind: z.literal('snapshot'), snapshot: snapshotFactsAnswer }),
  z.object({ kind: z.literal('restore') }),
  z.object({ kind: z.literal('remove'), removed: many(line) }),
  z.object({ kind: z.literal('check'), readBytes: z.number().nullable(), seconds: z.number() }),
  z.object({
    kind: z.literal('trial'),
    files: z.number(),
    bytes: z.number(),
    databases: many(
      z.object({ engine: engine, database: short, tables: z.number(), rows: z.number() }),
    ),
    seconds: z.number(),
  }),
])

const targetTrialAnswer = z.object({ can_list: z.boolean(), can_remove: z.boolean() })

const serverKeyAnswer = z.object({ type: short, fingerprint: short })

/** Answers about backups, snapshots and targets, by port and method. */
export const BACKUPS_ANSWERS = {
  backups: {
    start: change(done),
    wait: read(
      z.object({
        state: z.enum(['done', 'running', 'unknown', 'failed']),
        step: short,
        detail: long,
        percent: z.number(),
        result: backupFactsAnswer.nullable(),
        restored: restoredFilesAnswer.exactOptional(),
        error: z
          .object({ status: z.number(), message: long, field: short.exactOptional() })
          .nullable(),
      }),
    ),
    restores: read(many(keptRestoreAnswer), { limitSecs: SLOW_SECS }),
    contents: read(archiveContentsAnswer.nullable(), { limitSecs: SLOW_SECS }),
    remove: change(done),
    read: read(z.object({ content: long }), { limitSecs: SLOW_SECS }),
    targets: read(few(remoteTargetAnswer)),
  },
  snapshots: {
    engine: read(z.object({ version: short.nullable() })),
    start: change(done),
    wait: read(
      z.object({
        state: z.enum(['done', 'running', 'unknown', 'failed']),
        step: short,
        detail: long,
        percent: z.number(),
        result: snapshotResultAnswer.nullable(),
        restored: restoredFilesAnswer.exactOptional(),
        error: z
          .object({ status: z.number(), message: long, field: short.exactOptional() })
          .nullable(),
      }),
    ),
    stop: change(done),
    list: read(many(snapshotFactsAnswer), { limitSecs: SLOW_SECS }),
    browse: read(z.object({ entries: many(snapshotEntryAnswer), total: z.number() }), {
      limitSecs: SLOW_SECS,
    }),
    open: change(z.object({ filename: line, sizeBytes: z.number().nullable() })),
    read: read(z.object({ content: long }), { limitSecs: SLOW_SECS }),
    close: change(done),
    destroy: change(done),
  },
  targets: {
    save: change(targetTrialAnswer),
    remove: change(done),
    test: change(targetTrialAnswer),
    serverKey: read(serverKeyAnswer, { limitSecs: SLOW_SECS }),
  },
}
