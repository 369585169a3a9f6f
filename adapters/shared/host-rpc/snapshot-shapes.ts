import { z } from 'zod'
import { accountRecordSchema } from '#handlers/domain/backups/archived-record.ts'
import {
  databaseName,
  engine,
  knownBackup,
  operationId,
  panelSecrets,
  path,
  restoreParts,
  username,
} from './argument-shapes.ts'

export const snapshotPlace = { username, location: knownBackup.location }
export const snapshotId = z.string().regex(/^[0-9a-f]{64}$/)

const database = z.object({ engine, database: databaseName })
const work = { ...snapshotPlace, operationId }

export const snapshotWork = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('snapshot'),
    ...work,
    scheduled: z.boolean(),
    record: accountRecordSchema,
    secrets: panelSecrets,
  }),
  z.object({
    kind: z.literal('restore'),
    ...work,
    snapshotId,
    parts: restoreParts,
    evenSuspended: z.boolean().exactOptional(),
  }),
  z.object({
    kind: z.literal('remove'),
    ...work,
    snapshotIds: z.array(snapshotId).min(1).max(10_000),
  }),
  z.object({
    kind: z.literal('check'),
    ...work,
    share: z
      .object({ nth: z.int().min(1), of: z.int().min(1).max(1000) })
      .refine(({ nth, of }) => nth <= of, 'must lie within the shares'),
  }),
  z.object({ kind: z.literal('trial'), ...work, snapshotId }),
])

export const snapshotRead = z.union([z.object({ path }), z.object({ database })])
