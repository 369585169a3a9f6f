import { readFileSync } from 'node:fs'

/** Resident memory over time of one role (several processes have the workers, one after the other). */
export interface RoleMemory {
  role: string
  firstMb: number
  lastMb: number
  maxMb: number
  /** Median of the last quarter over the median of the second one; 1 is flat. Null with too few samples. */
  growth: number | null
}

const rssMb = (pid: number): number | null => {
  try {
    const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kb === undefined ? null : Number(kb) / 1024
  } catch {
    return null
  }
}
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const rounded = (value: number): number => Math.round(value * 100) / 100

/** Samples of all processes; of a role with several the largest one counts. */
export class MemorySamples {
  readonly #roles = new Map<string, number[]>()

  sample(roles: Readonly<Record<string, readonly number[]>>): void {
    for (const [role, pids] of Object.entries(roles)) {
      const sizes = pids.map(rssMb).filter((size) => size !== null)
      if (sizes.length === 0) continue
      const known = this.#roles.get(role) ?? []
      known.push(Math.max(...sizes))
      this.#roles.set(role, known)
    }
  }

  summary(): RoleMemory[] {
    return [...this.#roles].map(([role, sizes]) => {
      const quarter = Math.floor(sizes.length / 4)
      const early = median(sizes.slice(quarter, 2 * quarter))
      const late = median(sizes.slice(3 * quarter))
      return {
        role,
        firstMb: rounded(sizes[0] ?? 0),
        lastMb: rounded(sizes.at(-1) ?? 0),
        maxMb: rounded(Math.max(...sizes)),
        growth: quarter < 2 ? null : rounded(late / early),
      }
    })
  }
}
