import { z } from 'zod'
import { MOVE_PIECE_BYTES } from '#handlers/ports/host/accounts/moves.ts'
import { applicationSpec } from '../application-shapes.ts'
import { databaseName, domain, engine, operationId, text, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

const streamId = operationId
const number = z.int().nonnegative()
const applicationParts = z.object({
  spec: applicationSpec,
  secrets: z.record(text(255), text(70_000)),
})
/** What another host told; what is in it its ports judge. */
export const accountSecrets = z.object({
  passwordHash: text(500).nullable(),
  folderUsers: z.array(z.object({ name: text(40), hash: text(500) })).max(1000),
  databaseUsers: z.array(z.object({ engine, user: databaseName, hash: text(500) })).max(10_000),
  applications: z
    .array(
      applicationParts.extend({
        live: applicationParts.nullable(),
        wanted: z.enum(['running', 'stopped']),
      }),
    )
    .max(1000),
  certificates: z
    .array(
      z.object({ domain, version: operationId, certificate: text(200_000), key: text(100_000) }),
    )
    .max(10_000),
})
const database = z.object({ engine, database: databaseName })

/** Shapes of the arguments of methods by which accounts move, by port and method. */
export const MOVES_ARGUMENTS: Pick<ArgumentTable, 'moves'> = {
  moves: {
    secrets: z.object({ username }),
    takeSecrets: z.object({ username, secrets: accountSecrets }),
    begin: z.object({
      streamId,
      username,
      stream: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('list') }),
        z.object({ kind: z.literal('compare'), sinceSecs: z.number().nonnegative().nullable() }),
        z.object({ kind: z.literal('pack') }),
        z.object({ kind: z.literal('unpack') }),
        database.extend({ kind: z.literal('dump') }),
        database.extend({ kind: z.literal('load') }),
      ]),
    }),
    read: z.object({ streamId, number }),
    write: z.object({
      streamId,
      number,
      content: z.string().max(Math.ceil(MOVE_PIECE_BYTES / 3) * 4),
      last: z.boolean(),
    }),
    receipt: z.object({ streamId }),
    drop: z.object({ streamId }),
  },
}
