import type {
  AccountUse,
  ShortOfMemory,
  UsePoint,
} from '#handlers/ports/host/accounts/account-use.ts'
import type { GroupUse } from '../../process/account-groups/account-groups.ts'
import { MEBIBYTE } from '#handlers/domain/text/megabyte.ts'

export const STEP_SECS = 300
const KEEP_SECS = 86_400
interface Step {
  point: UsePoint
  /** Processor time in the step, and how long it was looked. */
  cpuMs: number
  lookedMs: number
  ends: number
}

interface Course {
  /** Of the last look. `use` null: nothing was there, so that all of the next is new. */
  before: { use: GroupUse | null; atMs: number } | null
  steps: Step[]
}

const most = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.max(one, other)

const grown = (before: number | null | undefined, now: number | null): number | null =>
  now === null ? null : now - (before ?? 0) < 0 ? now : now - (before ?? 0)

/** What accounts used in steps of five minutes of the last day, in memory. */
export class UseCourse {
  readonly #courses = new Map<string, Course>()

  /**
   * Takes what is used at present; `use` null: nothing runs. Answers how often the kernel
   * ended a program since the last time. What was counted before the first time is of before.
   */
  note(username: string, use: GroupUse | null, atMs: number): number {
    const course = this.#courses.get(username) ?? { before: null, steps: [] }
    this.#courses.set(username, course)
    const { before } = course
    course.before = { use, atMs }
    if (use === null) return 0
    const cpuMs = before === null ? null : grown(before.use?.cpuMs, use.cpuMs)
    const ends = before === null ? 0 : (grown(before.use?.memoryEnds, use.memoryEnds) ?? 0)
    const step = this.#step(course, atMs)
    const { point } = step
    step.ends += ends
    point.memory_mb = most(
      point.memory_mb,
      use.memoryBytes === null ? null : Math.round(use.memoryBytes / MEBIBYTE),
    )
    point.tasks = most(point.tasks, use.tasks)
    if (before !== null && cpuMs !== null && atMs > before.atMs) {
      step.cpuMs += cpuMs
      step.lookedMs += atMs - before.atMs
      point.cpu_percent = Math.round((step.cpuMs / step.lookedMs) * 1000) / 10
    }
    return ends
  }

  knows(username: string): boolean {
    return this.#courses.has(username)
  }

  forget(username: string): void {
    this.#courses.delete(username)
  }

  read(username: string, nowMs: number): Omit<AccountUse, 'disk_held_by'> {
    const steps = this.#kept(username, nowMs)
    return {
      step_secs: STEP_SECS,
      points: steps.map(({ point }) => ({ ...point })),
      memory_ends: steps
        .filter(({ ends }) => ends > 0)
        .map(({ point, ends }) => ({ at_secs: point.at_secs, count: ends })),
    }
  }

  short(nowMs: number): ShortOfMemory[] {
    return [...this.#courses.keys()].toSorted().flatMap((username) => {
      const ended = this.#kept(username, nowMs).filter(({ ends }) => ends > 0)
      const last = ended.at(-1)
      if (last === undefined) return []
      const count = ended.reduce((sum, { ends }) => sum + ends, 0)
      return [{ username, count, last_secs: last.point.at_secs }]
    })
  }

  #step(course: Course, atMs: number): Step {
    const at = Math.floor(atMs / 1000 / STEP_SECS) * STEP_SECS
    const last = course.steps.at(-1)
    // Where the clock was set back, the last step takes it.
    if (last !== undefined && last.point.at_secs >= at) return last
    const made: Step = {
      point: { at_secs: at, cpu_percent: null, memory_mb: null, tasks: null },
      ...{ cpuMs: 0, lookedMs: 0, ends: 0 },
    }
    course.steps.push(made)
    while ((course.steps[0]?.point.at_secs ?? at) <= at - KEEP_SECS) course.steps.shift()
    return made
  }

  #kept(username: string, nowMs: number): Step[] {
    const since = nowMs / 1000 - KEEP_SECS
    const steps = this.#courses.get(username)?.steps ?? []
    return steps.filter(({ point }) => point.at_secs > since)
  }
}
