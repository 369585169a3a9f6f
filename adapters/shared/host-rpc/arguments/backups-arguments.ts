import { z } from 'zod'
import { TARGET_LENGTHS } from '#handlers/domain/backups/target-rules.ts'
import {
  archiveSource,
  backupContents,
  backupWork,
  bytes,
  databaseMoves,
  domain,
  knownBackup,
  nothing,
  operationId,
  path,
  targetName,
  targetSecret,
  targetSettings,
  text,
  username,
} from '../argument-shapes.ts'
import { snapshotId, snapshotPlace, snapshotRead, snapshotWork } from '../snapshot-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about backups, snapshots and imports, by port and method. */
export const BACKUPS_ARGUMENTS: Pick<
  ArgumentTable,
  'backups' | 'snapshots' | 'targets' | 'imports'
> = {
  backups: {
    start: backupWork,
    wait: z.object({ operationId }),
    restores: z.object({ username }),
    contents: backupContents,
    remove: z.object(knownBackup),
    read: z.object({ ...knownBackup, offset: z.number().int().nonnegative() }),
    targets: nothing,
  },
  snapshots: {
    engine: nothing,
    start: snapshotWork,
    wait: z.object({ operationId }),
    stop: z.object({ operationId }),
    list: z.object(snapshotPlace),
    browse: z.object({ ...snapshotPlace, snapshotId, directory: path, offset: bytes }),
    open: z.object({ ...snapshotPlace, snapshotId, readId: operationId, what: snapshotRead }),
    read: z.object({ readId: operationId }),
    close: z.object({ readId: operationId }),
    destroy: z.object(snapshotPlace),
  },
  targets: {
    save: z.object({
      settings: targetSettings,
      secret: targetSecret.nullable(),
      isNew: z.boolean(),
    }),
    remove: z.object({ name: targetName }),
    test: z.object({ name: targetName }),
    serverKey: z.object({
      endpoint: text(TARGET_LENGTHS.endpoint),
      allowPrivate: z.boolean(),
    }),
  },
  imports: {
    find: z.union([z.object({ path }), z.object({ target: targetName })]),
    open: z.object({ importId: operationId, source: archiveSource }),
    fill: z.object({ importId: operationId, username, databases: databaseMoves }),
    wait: z.object({ importId: operationId, step: z.enum(['open', 'fill']) }),
    takeCertificate: z.object({
      importId: operationId,
      operationId,
      username,
      from: domain,
      domain,
    }),
    pointConfigs: z.object({ importId: operationId, username }),
    takePasswords: z.object({
      importId: operationId,
      username,
      databases: databaseMoves,
      users: databaseMoves,
      system: z.boolean(),
    }),
    close: z.object({ importId: operationId }),
  },
}
