import type { Ambient, Judge } from '../../ports/judge.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'

/** Jobs of one user that run at once in this process; the others wait. */
const LANES = 3

/** Bounds how many jobs of one user run at once. */
export interface JobLanes {
  /** Runs `work` in a lane of `user` when those before it there are done. */
  run(user: string, work: () => Promise<void>): Promise<void>
}

export const createJobLanes = (judges: Ambient<Judge | null>): JobLanes => {
  const lock = createKeyedLock(judges)
  /** Open jobs per user and lane. */
  const users = new Map<string, number[]>()
  return {
    run(user, work) {
      const lanes = users.get(user) ?? Array.from({ length: LANES }, () => 0)
      const lane = lanes.indexOf(Math.min(...lanes))
      lanes[lane] = (lanes[lane] ?? 0) + 1
      users.set(user, lanes)
      return lock.run(`${user} ${lane}`, work).finally(() => {
        lanes[lane] = (lanes[lane] ?? 1) - 1
        if (lanes.every((count) => count === 0)) users.delete(user)
      })
    },
  }
}
