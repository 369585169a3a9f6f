import type { DatabaseEngine } from '../../ports/store/records.ts'
import type { InspectedDatabase, InspectedDatabaseUser } from '../../ports/host/inspection.ts'

/** What a finding is about. */
export const FINDING_KINDS = [
  'account',
  'home',
  'suspension',
  'virtual-host',
  'database',
  'database-user',
  'database-address',
  'sftp',
  'application',
  'certificate',
  'backup',
  'php',
  'path',
  'disk',
  'isolation',
  'operation',
  'stall',
  'mail',
  'memory',
  'clock',
  'process',
  'port',
  'database-server',
  'package',
  'limit',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** `fault`: something is wrong or fails now; `warning`: it will, or may, unless somebody minds it. */
export const FINDING_LEVELS = ['fault', 'warning'] as const
export type FindingLevel = (typeof FINDING_LEVELS)[number]

/** A place where the panel's records and the host differ, or a fault of the host. */
export interface Finding {
  /** Name of the host; absent: the panel's own machine. */
  host?: string
  kind: FindingKind
  level: FindingLevel
  /** E.g. a username, a domain, a path. */
  subject: string
  /** What is not as it should be. */
  what: string
  /** What comes of it. */
  why: string
  /** What puts it right. */
  fix: string
  /** Whether repairing it is the doctor's; otherwise `fix` is for a person. */
  repairable: boolean
}

/** How a repairable finding is put right. */
export type Repair =
  | { do: 'remove-user'; username: string }
  | { do: 'set-suspended'; username: string }
  | { do: 'regenerate' }
  | { do: 'adopt-database'; database: InspectedDatabase }
  | { do: 'lock-databases'; username: string }
  | { do: 'adopt-database-user'; user: InspectedDatabaseUser }
  | { do: 'set-database-grants'; username: string; engine: DatabaseEngine; user: string }
  | { do: 'set-database-addresses'; username: string }
  | { do: 'tell-log-ins'; username: string }
  | { do: 'put-application' | 'remove-application'; username: string; name: string }
  | { do: 'prune-certificate'; username: string | null; domain: string }
  | { do: 'repair-path'; path: string }
  | { do: 'end-php'; pid: number }
  | { do: 'bring-front' }
  | { do: 'settle' }

/** A finding with its repair; null: none by itself. */
export interface Diagnosis extends Omit<Finding, 'repairable' | 'level' | 'why'> {
  /** Default: fault. */
  level?: FindingLevel
  /** Default: what comes of any finding of its kind. */
  why?: string
  repair: Repair | null
  /** Id of the host that it is on. Default: the panel's own machine. */
  hostId?: number
  /** Account whose running operation may explain the finding. */
  username: string | null
}

/** A part of the examination that could not be done. */
export interface Skipped {
  check: string
  reason: string
}

/** What the doctor saw. */
export interface Examination {
  /** Whether there is no fault; warnings do not count. */
  clean: boolean
  findings: Finding[]
  skipped: Skipped[]
}

/** What the doctor did, and what is left to see. */
export interface Treatment extends Examination {
  /** What was put right; `findings` is what is left. */
  repaired: Finding[]
  /** Repairs that failed, with why. */
  failed: { kind: FindingKind; subject: string; error: string; host?: string }[]
}
