import { randomUUID } from 'node:crypto'
import type { Push } from '#handlers/ports/host/applications.ts'

/** Of all accounts; the panel asks every few seconds. */
const MOST = 1000
/** Of one account, so that nobody's pushes keep those of others away. */
const MOST_OF_ONE = 20

/** What was pushed to repositories of accounts, until the panel has seen to it. */
export interface PushQueue {
  note(username: string, name: string, branch: string): void
  /** All but those that are done. */
  waiting(done: readonly string[]): Push[]
}

export const createPushQueue = (): PushQueue => {
  let all: Push[] = []
  return {
    note(username, name, branch) {
      // The last push is what counts.
      all = all.filter(
        (one) => one.username !== username || one.name !== name || one.branch !== branch,
      )
      if (all.filter((one) => one.username === username).length >= MOST_OF_ONE) return
      all = [...all, { id: randomUUID(), username, name, branch }].slice(-MOST)
    },
    waiting(done) {
      const gone = new Set(done)
      all = all.filter(({ id }) => !gone.has(id))
      return [...all]
    },
  }
}
