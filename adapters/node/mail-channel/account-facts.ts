import { z } from 'zod'

/** What the agent knows of an account that sends. */
export const accountFactsSchema = z.object({
  suspended: z.boolean(),
  /** Names of its sites, in lower case. Empty: it has none. */
  domains: z.array(z.string()),
})
export type AccountFacts = z.infer<typeof accountFactsSchema>
