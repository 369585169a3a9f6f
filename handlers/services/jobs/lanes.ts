import { AppError } from '../../errors.ts'
import type { Ambient, Judge } from '../../ports/judge.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'

/** Bounds how many jobs are open, and how many of one user run at once. */
export interface JobLanes {
  /** A place for one more job of `user`; throws 429 when there is none. */
  enter(user: string): JobPlace
}

/** A place among the open jobs. Either is called once. */
export interface JobPlace {
  /** Runs `work` when those before it are done, then gives the place back. */
  run(work: () => Promise<void>): Promise<void>
  /** Gives the place back without having run. */
  leave(): void
}

/** Jobs of one user that run at once; the others wait. */
const LANES = 3
const MAX_OPEN_OF_USER = 20
const MAX_OPEN = 200

export const createJobLanes = (judges: Ambient<Judge | null>): JobLanes => {
  const lock = createKeyedLock(judges)
  /** Open jobs per user and lane. */
  const users = new Map<string, number[]>()
  let all = 0
  return {
    enter(user) {
      const lanes = users.get(user) ?? Array.from({ length: LANES }, () => 0)
      const ofUser = lanes.reduce((sum, count) => sum + count, 0)
      if (ofUser >= MAX_OPEN_OF_USER || all >= MAX_OPEN) {
        throw new AppError(429, 'Too many jobs are open. Wait until some of them are done.', {
          headers: { 'retry-after': '10' },
        })
      }
      const lane = lanes.indexOf(Math.min(...lanes))
      lanes[lane] = (lanes[lane] ?? 0) + 1
      users.set(user, lanes)
      all += 1
      const leave = (): void => {
        all -= 1
        lanes[lane] = (lanes[lane] ?? 1) - 1
        if (lanes.every((count) => count === 0)) users.delete(user)
      }
      return { run: (work) => lock.run(`${user} ${lane}`, work).finally(leave), leave }
    },
  }
}
