import { z } from 'zod'
import type { SubmoduleSource } from '#handlers/domain/applications/submodules.ts'

const source = z.union([
  z.object({
    kind: z.enum(['https', 'ssh']),
    host: z.string(),
    port: z.number(),
    url: z.string(),
  }),
  z.object({ kind: z.literal('own'), application: z.string() }),
]) satisfies z.ZodType<SubmoduleSource>

/** What `git-fetch` is told as its one argument; nothing in it is secret. */
export const fetchPlan = z.object({
  /** Arguments of git for the repository itself, in the application's folder. */
  clone: z.array(z.string()),
  source,
  /** Of its deploy key. */
  asking: z.object({ home: z.string(), name: z.string() }),
  /** Folder of the clone, below the working directory. */
  release: z.string(),
  mayBeLocal: z.boolean(),
})
export type FetchPlan = z.infer<typeof fetchPlan>
