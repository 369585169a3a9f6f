import type { DatabaseEngine } from '../store/records.ts'

/** What was seen, or why it could not be looked at on this machine. */
export type Seen<T> = { seen: true; value: T } | { seen: false; reason: string }

/** A file system that the installation, the accounts or the system's database servers write to. */
export interface MachineDisk {
  /** Where it is mounted. */
  mount: string
  /** What lies on it, in words, e.g. `homes`, `backups`. */
  holds: string[]
  /** Paths of the installation that lie on it. */
  paths: string[]
  readOnly: boolean
  totalBytes: number
  /** What those who are not root may still write. */
  freeBytes: number
  /** Files that there can be; 0: as many as one likes. */
  totalFiles: number
  freeFiles: number
}

/** What a directory of the installation takes, as far as it was counted. */
export interface DiskFiller {
  mount: string
  /** E.g. `logs`. */
  what: string
  path: string
  bytes: number
  files: number
  /** False: counting ended early, so there is more. */
  complete: boolean
}

/** Memory and swap of the whole machine. */
export interface MachineMemory {
  totalBytes: number
  /** What programs could still have, caches included. */
  availableBytes: number
  swapTotalBytes: number
  swapFreeBytes: number
  /** Part of the last five minutes in which every program waited for memory, in per cent; null: the kernel does not say. */
  stalledPercent: number | null
  /** Processes that the kernel ended for want of memory since the agent started; null: it does not count them. */
  killed: number | null
}

/** Whether the machine's time can be trusted. */
export interface MachineClock {
  /** Whether a time service keeps it right; null: none can be asked here. */
  synchronised: boolean | null
  /** Who said so, or why nobody could. */
  source: string
  /** Jumps of more than a moment since the agent started, oldest first. */
  jumps: { atMs: number; secs: number }[]
}

/** A process of the installation, as the supervisor sees it. */
export interface MachineChild {
  name: string
  running: boolean
  /** Ends that nobody asked for, within the last day, oldest first. */
  ends: { atMs: number; how: string }[]
}

/** A database server as its administrator sees it. */
export interface MachineDatabaseServer {
  engine: DatabaseEngine
  /** Why it does not answer; null: it does, and the rest is known. */
  unreachable: string | null
  /** Why it takes no changes; null: it does. */
  readOnly: string | null
  connections: { used: number; limit: number } | null
  /** Tables or databases that the server itself calls damaged, the first ones. */
  damaged: { name: string; what: string }[]
  /** PostgreSQL: transactions since the oldest that was cleaned up; at 2^31 it refuses to work. Null: no such limit. */
  oldestTransactions: number | null
  /** Why other machines do not reach it although the configuration says so; null: it is as it should be. */
  notReached: string | null
}

/** A package whose newer version is in the machine's own lists. */
export interface PendingUpdate {
  name: string
  installed: string
  candidate: string
  /** Whether it comes from an archive of security updates. */
  security: boolean
}

/** Packages that Berth needs, by the machine's own lists of what there is. */
export interface MachinePackages {
  /** When the newest of the lists was fetched. */
  listedAtMs: number
  /** Whether an archive of security updates is among the lists. */
  securityListed: boolean
  updates: PendingUpdate[]
}

/** How much of something that the kernel bounds is in use. */
export interface MachineLimit {
  /** Sysctl or limit by its usual name, e.g. `fs.file-max`. */
  name: string
  used: number
  limit: number
}

/** Bounds of the kernel that matter to Berth. */
export interface MachineLimits {
  /** Bounds that fill up. */
  filling: MachineLimit[]
  /** Connections that may wait to be accepted. */
  somaxconn: number | null
  /** `vm.overcommit_memory`; 2: memory is promised only as far as there is some. */
  overcommit: number | null
}

/** The machine as it is, without judgement. */
export interface MachineFacts {
  disks: Seen<MachineDisk[]>
  memory: Seen<MachineMemory>
  clock: Seen<MachineClock>
  children: Seen<MachineChild[]>
  /** A text for each port of the sites that could not be opened, with its holder. */
  ports: Seen<string[]>
  databaseServers: Seen<MachineDatabaseServer[]>
  packages: Seen<MachinePackages>
  limits: Seen<MachineLimits>
}

/** Looks at the machine beneath the installation; changes nothing. */
export interface MachinePort {
  /** Answers within about a second and a half; what takes longer is not seen this time. */
  facts(): Promise<MachineFacts>
  /** What the directories of the installation take, largest first; homes are never counted. Bounded in time and files. */
  fillers(): Promise<DiskFiller[]>
}
