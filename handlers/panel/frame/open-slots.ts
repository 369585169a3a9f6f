import { AppError } from '../../errors.ts'

/** How many answers may be open at once: of one user, and of all. */
export interface OpenSlots {
  /** Takes a slot; answers how to give it back, once or more often. Throws 429 when there is none. */
  enter(user: string): () => void
}

export const createOpenSlots = (
  bounds: { ofUser: number; all: number },
  tooMany: string,
): OpenSlots => {
  const users = new Map<string, number>()
  let all = 0
  return {
    enter(user) {
      const count = users.get(user) ?? 0
      if (count >= bounds.ofUser || all >= bounds.all) {
        throw new AppError(429, tooMany, { headers: { 'retry-after': '10' } })
      }
      users.set(user, count + 1)
      all += 1
      let left = false
      return () => {
        if (left) return
        left = true
        all -= 1
        const rest = (users.get(user) ?? 1) - 1
        if (rest === 0) users.delete(user)
        else users.set(user, rest)
      }
    },
  }
}
