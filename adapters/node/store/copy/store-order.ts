import { z } from 'zod'

const file = z.string().nullable()
const server = z.object({
  url: z.string(),
  files: z.object({ passwordFile: file, caFile: file }),
})
/** Whose owner it is done as. */
const directory = z.string()

/** What `bin/store.ts` is told to do. */
export const storeOrderSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('is-used'), directory, server }),
  /** To a file that is not there yet. */
  z.object({ action: z.literal('save'), directory, server, file: z.string() }),
  /** In the place of what the server has. */
  z.object({ action: z.literal('put'), directory, server, file: z.string() }),
  /** One after the other. */
  z.object({
    action: z.literal('rename'),
    directory,
    names: z.array(z.tuple([z.string(), z.string()])),
  }),
])
export type StoreOrder = z.infer<typeof storeOrderSchema>

/** What it answers, a line each. */
export const storeAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), table: z.string(), rows: z.number() }),
  z.object({ kind: z.literal('used'), used: z.boolean() }),
  z.object({ kind: z.literal('renamed') }),
  z.object({ kind: z.literal('copied'), tables: z.number(), rows: z.number() }),
])
export type StoreAnswer = z.infer<typeof storeAnswerSchema>
