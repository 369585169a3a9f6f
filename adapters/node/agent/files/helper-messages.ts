import { z } from 'zod'
import { MAX_CONFIGS } from '#handlers/domain/backups/known-configs.ts'
import { MAX_RESTORE_PARTS } from '#handlers/ports/host/backups/restore-parts.ts'
import { MAX_EXTENSIONS } from '#handlers/domain/wordpress/extensions-of.ts'
import { MAX_WORDPRESS } from './helper/wordpress/find-wordpress.ts'

/** What the agent asks of a helper. `write` carries the content as the frame's body. */
export type HelperRequest =
  | { op: 'list'; path: string }
  | { op: 'read'; path: string; maxBytes: number }
  | { op: 'write'; path: string; availableBytes: number | null }
  | { op: 'mkdir'; path: string }
  | { op: 'ensure'; path: string }
  | { op: 'chmod'; path: string; mode: number }
  | { op: 'delete'; path: string }
  | { op: 'beginUpload'; path: string }
  | {
      op: 'appendUpload'
      path: string
      token: string
      offset: number
      availableBytes: number | null
    }
  | { op: 'endUpload'; path: string; token: string; size: number }
  | { op: 'abortUpload'; path: string; token: string }
  | { op: 'readPart'; path: string; offset: number; length: number; identity: string | null }
  | { op: 'move'; path: string; to: string }
  | { op: 'copy'; path: string; to: string; availableBytes: number | null }
  | { op: 'archive'; paths: string[]; to: string; availableBytes: number | null }
  | { op: 'extract'; path: string; to: string; overwrite: boolean; availableBytes: number | null }
  | { op: 'populate'; page: string }
  | { op: 'empty' }
  | { op: 'usage' }
  /** Exchanges the home's content with `<staging>/new`; see `swapIn`. */
  | { op: 'swap'; staging: string; direction: 'in' | 'back' }
  /** Answers the places that the chosen paths are exchanged at; see `arrangeParts`. */
  | { op: 'arrange'; staging: string; paths: readonly string[] }
  /** As `swap`, of the places alone. */
  | { op: 'exchange'; staging: string; paths: readonly string[]; direction: 'in' | 'back' }
  /** What was kept becomes what is brought; see `handOver`. */
  | { op: 'hand'; from: string; to: string; direction: 'over' | 'back' }
  /** Points paths of other homes in known configuration files at this one; see `pointConfigs`. */
  | { op: 'pointConfigs'; from: readonly string[] }
  /** Whether there is something of that name in the home itself. */
  | { op: 'has'; name: string }
  /** WordPress installations in these directories and a little below; see `findWordpress`. */
  | { op: 'wordpress'; roots: readonly string[] }

const name = z
  .string()
  .min(1)
  .max(255)
  .refine((value) => !value.includes('/') && !value.includes('\0'))

const facts = z.object({
  name,
  type: z.enum(['file', 'directory', 'symlink']),
  sizeBytes: z.number().int().nonnegative(),
  mode: z.number().int().min(0).max(0o7777),
  mtimeMs: z.number(),
  uid: z.number().int().nonnegative(),
})

const count = z.number().int().nonnegative()

const version = z
  .string()
  .max(32)
  .regex(/^[0-9][0-9A-Za-z.+_-]*$/)
  .nullable()
const extensions = z
  .array(z.object({ slug: name, name: z.string().min(1).max(200), version }))
  .max(MAX_EXTENSIONS)

/** An entry as a helper tells it; a tenant may have forged every value. */
export type HelperFacts = z.infer<typeof facts>

/** Shape of the `data` of each operation's answer. */
export const HELPER_ANSWERS = {
  list: z.array(facts).max(20_000),
  read: facts,
  write: z.object({ facts, grownBytes: z.number().int() }),
  mkdir: facts,
  ensure: z.null(),
  chmod: facts,
  delete: z.null(),
  beginUpload: z.string().regex(/^[0-9a-f]{16}$/),
  appendUpload: z.null(),
  endUpload: z.object({ facts, replacedBytes: count }),
  abortUpload: z.null(),
  readPart: z.object({ facts, identity: z.string().max(100) }),
  move: facts,
  copy: z.object({ facts, grownBytes: count }),
  archive: z.object({ facts, grownBytes: count, entries: count, skipped: count }),
  extract: z.object({ entries: count, grownBytes: count }),
  populate: z.null(),
  empty: z.null(),
  usage: z.number().nonnegative(),
  swap: z.null(),
  arrange: z.array(z.string().min(1).max(4095)).max(MAX_RESTORE_PARTS),
  exchange: z.null(),
  hand: z.null(),
  pointConfigs: z.object({
    changed: z.array(z.object({ path: z.string().max(8192), paths: count })).max(MAX_CONFIGS),
    left: z
      .array(z.object({ path: z.string().max(8192), why: z.string().max(200) }))
      .max(MAX_CONFIGS),
    copies: z.string().regex(/^\.before-import(?:-\d{1,9})?$/),
  }),
  has: z.boolean(),
  wordpress: z
    .array(
      z.object({
        path: z.string().max(4095),
        version,
        plugins: extensions,
        themes: extensions,
        localised: z.string().max(20).nullable(),
        stagingOf: z.string().max(4095).nullable(),
      }),
    )
    .max(MAX_WORDPRESS),
} satisfies Record<HelperRequest['op'], z.ZodType>

export type HelperAnswer<Op extends HelperRequest['op']> = z.infer<(typeof HELPER_ANSWERS)[Op]>

/** Header of every response frame. */
export const responseHeader = z.union([
  z.object({ id: z.number().int(), ok: z.literal(true), data: z.unknown() }),
  z.object({
    id: z.number().int(),
    ok: z.literal(false),
    /** Null: a fault of the helper. */
    status: z.number().int().nullable(),
    message: z.string().max(10_000),
    reason: z.literal('quota').nullable(),
  }),
])
