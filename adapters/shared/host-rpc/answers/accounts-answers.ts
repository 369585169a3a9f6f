import { z } from 'zod'
import { change, done, line, many, read, short, SLOW_SECS } from './answer-shapes.ts'

const osUserAnswer = z.object({ username: short, uid: z.number(), gid: z.number(), home: line })

const usePointAnswer = z.object({
  at_secs: z.number(),
  cpu_percent: z.number().nullable(),
  memory_mb: z.number().nullable(),
  tasks: z.number().nullable(),
})

const memoryEndsAnswer = z.object({ at_secs: z.number(), count: z.number() })

const diskHolderAnswer = z.enum(['kernel', 'berth'])

const accountUseAnswer = z.object({
  step_secs: z.number(),
  points: many(usePointAnswer),
  memory_ends: many(memoryEndsAnswer),
  disk_held_by: diskHolderAnswer,
})

const shortOfMemoryAnswer = z.object({ username: short, count: z.number(), last_secs: z.number() })

/** Answers about accounts and what they use, by port and method. */
export const ACCOUNTS_ANSWERS = {
  users: {
    create: change(osUserAnswer),
    remove: change(done),
    suspend: change(done),
    unsuspend: change(done),
    setPassword: change(done),
    setDiskQuota: change(done),
    setLimits: change(done),
    list: read(
      many(
        z.object({
          username: short,
          uid: z.number(),
          gid: z.number(),
          home: line,
          suspended: z.boolean(),
        }),
      ),
    ),
    diskUsedMb: read(z.number(), { limitSecs: SLOW_SECS }),
    operation: read(z.object({ state: z.enum(['open', 'done', 'undone']) }).nullable()),
  },
  accountUse: {
    of: read(accountUseAnswer),
    shortOfMemory: read(many(shortOfMemoryAnswer)),
  },
}
