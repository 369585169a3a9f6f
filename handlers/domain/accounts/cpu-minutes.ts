const MINUTE_MS = 60_000
/** Minutes that are remembered. */
const MINUTES = 60
const STEP_MS = 10

interface Course {
  minutes: Map<number, number>
  /** What no step of an earlier minute was full of. */
  restMs: number
}

/** Processor time by name and minute, of the last hour. What is rounded off counts in the next minute. */
export class CpuMinutes {
  readonly #nowMs: () => number
  readonly #courses = new Map<string, Course>()
  #prunedAt = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Adds to the present minute. */
  add(name: string, ms: number): void {
    if (!(ms > 0)) return
    const minute = this.#minute()
    if (minute !== this.#prunedAt) this.#prune(minute)
    const course = this.#courses.get(name) ?? { minutes: new Map<number, number>(), restMs: 0 }
    this.#courses.set(name, course)
    const whole = Math.floor((ms + course.restMs) / STEP_MS) * STEP_MS
    course.restMs += ms - whole
    if (whole > 0) course.minutes.set(minute, (course.minutes.get(minute) ?? 0) + whole)
  }

  /** In the order of time, by begin of the minute in milliseconds since the epoch; minutes without are not there. */
  read(name: string): { at_ms: number; ms: number }[] {
    this.#prune(this.#minute())
    const minutes = this.#courses.get(name)?.minutes ?? []
    return [...minutes].map(([minute, ms]) => ({ at_ms: minute * MINUTE_MS, ms }))
  }

  #minute(): number {
    return Math.floor(this.#nowMs() / MINUTE_MS)
  }

  #prune(minute: number): void {
    this.#prunedAt = minute
    for (const [name, { minutes }] of this.#courses) {
      let gone = false
      for (const one of minutes.keys()) if (one <= minute - MINUTES) gone = minutes.delete(one)
      if (gone && minutes.size === 0) this.#courses.delete(name)
    }
  }
}
