/**
 * The two groups of an account: its own programs (PHP, cron, sessions, applications), and what
 * the panel runs for it (file helpers, archives), which must work also where the former use up
 * all that they may.
 */
export const GROUP_KINDS = ['programs', 'helpers'] as const
export type GroupKind = (typeof GROUP_KINDS)[number]

/** What the kernel may be able to hold an account to. */
export type Held = 'cpu' | 'memory' | 'tasks' | 'io'

/** What all programs of one account may use together. */
export interface GroupValues {
  /** Part of the processor where it is short; every account has 100 unless its plan says otherwise. 1 to 10,000. */
  cpuWeight: number
  /** Of one processor, e.g. 200 is two of them. Null: no limit. */
  cpuPercent: number | null
  /** Part of the disk's time where it is short, as `cpuWeight`. */
  ioWeight: number
  /** Megabytes of the account's own programs together. Null: no limit. */
  memoryMb: number | null
  /** Processes and threads of the account's own programs. */
  tasks: number
}

/** What an account uses, as the kernel counts it. Null: not counted here. */
export interface GroupUse {
  /** Processor time since the group was made. */
  cpuMs: number | null
  /** Without what the kernel keeps of files and can drop at any time. */
  memoryBytes: number | null
  tasks: number | null
  /** How often the kernel ended a program because the account's memory was used up. */
  memoryEnds: number | null
}

/**
 * Groups of the kernel (control groups) in which accounts run. An account is its uid. Groups
 * are made when they are first needed, and lie below one that is this installation's alone.
 */
export interface AccountGroups {
  readonly kind: 'systemd slices' | 'cgroup v2' | 'cgroup v1'
  readonly holds: readonly Held[]
  /**
   * The words before a command line of root's that make it, and all that it starts, part of the
   * group. The number of the process stays; what cannot enter does not start. `part`: of its own
   * programs one that `setPart` made; where the processor is not held, the words are those without.
   */
  words(uid: number, kind: GroupKind, part?: string): string[]
  /**
   * Of both groups; at once for what runs already. False: programs use more memory than they
   * may from now on and do not give it back, so the earlier limit holds until this is called again.
   */
  set(uid: number, values: GroupValues): Promise<boolean>
  /**
   * Makes a part of the account's own programs, or changes it: together they get no more of one
   * processor than that, however much the account may have. Memory and tasks stay the account's.
   * Named by 1 to 32 of a-z, 0-9 and `-`.
   */
  setPart(uid: number, part: string, cpuPercent: number): Promise<void>
  /** Its processes are ended before. No error where there is none. */
  removePart(uid: number, part: string): Promise<void>
  /** Takes running processes in; those that ended meanwhile are left out. */
  take(uid: number, kind: GroupKind, pids: readonly number[]): Promise<void>
  /** True where the lines of `/proc/PID/cgroup` are those of a process of the account's groups. */
  isIn(uid: number, lines: string): boolean
  /** Null: the account has no group at present. */
  use(uid: number): GroupUse | null
  /** Accounts that have groups. */
  uids(): number[]
  /** The processes are ended before. No error where there is none. */
  remove(uid: number): Promise<void>
}

/** Of the helpers: tar, dumps and a Node each. They are the product's, so no plan bounds them. */
export const HELPER_MEMORY_MB = 1024
export const HELPER_TASKS = 200
