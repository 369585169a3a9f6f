/** What the programs of an account used in one step of time. Null: not counted here, or nothing ran. */
export interface UsePoint {
  /** Begin of the step, unix seconds. */
  at_secs: number
  /** Of one processor, over the step. */
  cpu_percent: number | null
  /** The most at once, without what the kernel keeps of files and can drop. */
  memory_mb: number | null
  /** Processes and threads, the most at once. */
  tasks: number | null
}

/** How often the kernel ended programs of an account in a step, because its memory was used up. */
export interface MemoryEnds {
  at_secs: number
  count: number
}

/** Who holds accounts to their disk quotas. */
export type DiskHolder = 'kernel' | 'berth'

/** Use of the last day, as far as it was counted: the agent begins anew when it is started. */
export interface AccountUse {
  step_secs: number
  /** In the order of time; steps in which nothing was counted are not there. */
  points: UsePoint[]
  memory_ends: MemoryEnds[]
  /**
   * Who holds the account to its disk quota: the kernel, which lets nothing be written beyond
   * it, or Berth, which counts now and then and refuses what the panel writes.
   */
  disk_held_by: DiskHolder
}

/** An account whose programs the kernel ended within the last day. */
export interface ShortOfMemory {
  username: string
  count: number
  last_secs: number
}

/** What accounts use of the machine over time, as the kernel counts it by their groups. */
export interface AccountUsePort {
  /** 404 for an unknown account. Where accounts have no groups there are no points. */
  of(input: { username: string }): Promise<AccountUse>
  /** By name. */
  shortOfMemory(): Promise<ShortOfMemory[]>
}
