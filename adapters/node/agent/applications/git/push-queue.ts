import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Push } from '#handlers/ports/host/applications.ts'
import type { Caller } from '../../sftp/sessions/session-logs.ts'
import { createPushListeners } from './push-listeners.ts'
import { writeWhole } from '../../../layout/write-whole.ts'

/** Of all accounts; the panel asks every few seconds. */
const MOST = 1000
/** Of one account, so that nobody's pushes keep those of others away. */
const MOST_OF_ONE = 20

/** How long a change may wait until it is written. */
const WRITE_MS = 100

const keptSchema = z.array(
  z.strictObject({
    id: z.string(),
    username: z.string(),
    name: z.string(),
    branch: z.string(),
  }),
)

/** What was pushed to repositories of accounts, until the panel has seen to it, also through restarts. */
export interface PushQueue {
  /** `caller`: who pushed and waits to be told what becomes of it. */
  note(username: string, name: string, branch: string, caller?: Caller): void
  /** Tells who pushed; see `PushListeners.tell`. */
  tell(id: string, text: string, ended: string | null): boolean
  /** All but those that are done. */
  waiting(done: readonly string[]): Push[]
}

/** Of an earlier agent; what nobody can read is as if nothing had been pushed. */
const kept = (file: string): Push[] => {
  if (!existsSync(file)) return []
  try {
    return keptSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

/** @param file of root, where what waits is kept */
export const createPushQueue = (file: string): PushQueue => {
  let all = kept(file)
  const listeners = createPushListeners()
  let writing: NodeJS.Timeout | undefined
  // Whoever pushes without end costs a write now and then, not one each time.
  const keep = (now: Push[]): void => {
    all = now
    writing ??= setTimeout(() => {
      writing = undefined
      try {
        writeWhole(file, JSON.stringify(all), { mode: 0o600 })
      } catch {
        // A full disk: it is known all the same while this agent lives.
      }
    }, WRITE_MS)
  }
  return {
    note(username, name, branch, caller) {
      // The last push is what counts.
      const isSame = (one: Push): boolean =>
        one.username === username && one.name === name && one.branch === branch
      const others = all.filter((one) => !isSame(one))
      for (const { id } of all.filter(isSame))
        listeners.tell(id, '', 'A later push took its place.')
      // Of too many the oldest goes: the newest is what its owner looks for.
      const own = others.filter((one) => one.username === username)
      const tooMany = new Set(own.slice(0, Math.max(0, own.length - MOST_OF_ONE + 1)))
      const left = others.filter((one) => !tooMany.has(one))
      const id = randomUUID()
      keep([...left, { id, username, name, branch }].slice(-MOST))
      if (caller !== undefined) listeners.add(id, username, caller)
    },
    tell: (id, text, ended) => listeners.tell(id, text, ended),
    waiting(done) {
      const gone = new Set(done)
      const left = all.filter(({ id }) => !gone.has(id))
      if (left.length < all.length) keep(left)
      return [...left]
    },
  }
}
