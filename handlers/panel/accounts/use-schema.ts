import { z } from 'zod'
import { count, named } from '../frame/common-schemas.ts'

const seconds = () => count().describe('Unix seconds.')

/** What the programs of an account used over time. */
export const accountUseSchema = named('AccountUse', {
  step_secs: count(),
  points: z
    .array(
      z.object({
        at_secs: seconds(),
        cpu_percent: z.number().min(0).nullable().describe('Of one processor, over the step.'),
        memory_mb: count().nullable().describe('Mebibytes, the most at once.'),
        tasks: count().nullable().describe('Processes and threads, the most at once.'),
      }),
    )
    .describe('In the order of time; steps in which nothing was counted are not there.'),
  memory_ends: z
    .array(z.object({ at_secs: seconds(), count: count() }))
    .describe("How often the kernel ended a program because the account's memory was used up."),
  disk_held_by: z
    .enum(['kernel', 'berth'])
    .describe(
      'kernel: nothing can be written beyond the disk quota. berth: it is counted now and then, and what the panel writes stops there.',
    ),
})
