import { z } from 'zod'

const token = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/)
/** A token, a dot and a thumbprint (RFC 8555, 8.1). */
const content = z.string().regex(/^[A-Za-z0-9_.-]{1,400}$/)

/** What the agent asks for. */
export const challengeChange = z.object({
  put: z.array(z.object({ token, content })).max(1000),
  remove: z.array(token).max(1000),
})
export type ChallengeChange = z.infer<typeof challengeChange>

/** Answers to certificate authorities by token; kept in memory, for an order lasts a minute. */
export interface Challenges {
  change(change: ChallengeChange): void
  /** A copy. */
  all(): ReadonlyMap<string, string>
}

/** What an agent that died has left behind is pushed out by later ones. */
const MAX_CHALLENGES = 2000

export const createChallenges = (): Challenges => {
  const answers = new Map<string, string>()
  return {
    change({ put, remove }) {
      for (const one of remove) answers.delete(one)
      for (const one of put) answers.set(one.token, one.content)
      for (const oldest of answers.keys()) {
        if (answers.size <= MAX_CHALLENGES) break
        answers.delete(oldest)
      }
    },
    all: () => new Map(answers),
  }
}
