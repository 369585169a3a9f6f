import type { DatabaseEngine } from '../store/records.ts'
import type { DatabaseGrant } from './databases/database-users.ts'
import type { VirtualHostSpec } from './web-server.ts'

/** A hosting account in the host's own records, and what the system has of it. */
export interface InspectedAccount {
  username: string
  suspended: boolean
  /** `foreign`: a system user of that name has another uid or home. Without OS users of its own (rootless) always `present`. */
  user: 'present' | 'missing' | 'foreign'
  /** What is wrong with the home directory itself; null: nothing. */
  home: PathProblem | null
}

/** A file or directory whose owner or mode lets the wrong ones in, or keeps the right ones out. */
export interface PathProblem {
  /** Absolute. */
  path: string
  /** In words, e.g. `has mode 0755 instead of 0710`. */
  problem: string
  /** False where the host cannot put it right by itself, e.g. a missing home. */
  repairable: boolean
}

/** A virtual host of the host's own records, with its generated file. */
export interface InspectedVirtualHost {
  spec: VirtualHostSpec
  /** The generated file against what would be written now. */
  file: 'current' | 'missing' | 'changed'
}

/** A database of the host's own records, and whether its server has it. */
export interface InspectedDatabase {
  engine: DatabaseEngine
  database: string
  user: string
  username: string
  /** What applications write as host. */
  host: string
  locked: boolean
  /** Whether the server has it; null while the server does not answer. */
  present: boolean | null
}

/** A further user of an account's databases, by the host's own records. */
export interface InspectedDatabaseUser {
  engine: DatabaseEngine
  /** Full name. */
  user: string
  username: string
  locked: boolean
  grants: DatabaseGrant[]
}

/** The stored certificates of one site. */
export interface InspectedCertificate {
  /** Name of the site that the files are kept under. */
  domain: string
  /** Owner by the host's records; null: the panel's own. */
  username: string | null
  /** False: files of which the host's records know nothing. */
  recorded: boolean
  /** Versions whose files are all there. */
  versions: string[]
}

/** A running PHP master. */
export interface InspectedPhp {
  pid: number
  /** Account whose uid it has; null: nobody's whom the records know. */
  username: string | null
}

/** What the host's records say was begun and has not ended. */
export interface InspectedOperation {
  /** `<port>.<method>`. */
  kind: string
  subject: string
  ageSecs: number
}

/** State of the host as it is, without judgement; what should be is the panel's to say. */
export interface HostInspection {
  accounts: InspectedAccount[]
  virtualHosts: InspectedVirtualHost[]
  /** Names of generated files that no record has. */
  strayVirtualHostFiles: string[]
  databases: InspectedDatabase[]
  databaseUsers: InspectedDatabaseUser[]
  /** Addresses from which databases may be reached, sorted; accounts without any may be left out. */
  databaseAddresses: { username: string; addresses: string[] }[]
  certificates: InspectedCertificate[]
  php: InspectedPhp[]
  /** Archives in this host's own backup directory. */
  backups: { filename: string; path: string; sizeBytes: number }[]
  /** Directories and files of the installation itself. */
  paths: PathProblem[]
  operations: InspectedOperation[]
  /** Why the programs of accounts have no process list and temporary files of their own; null: they have, as far as it was tried. */
  sharedRooms: string | null
  /** Why accounts are not held to what their programs may use together; null: they are, or it was not asked for. */
  unheldAccounts: string | null
  /** Why the disk of the homes does not share its time out by weight; null: it does, or nobody can say. */
  unsharedDisk: string | null
  /** Panels on other machines that the host obeys: what they made there is in no record of its own panel. */
  panels: string[]
}

/** Looks at the host, and puts right what no other port does. */
export interface InspectionPort {
  /** Reads all of it anew. A database server that does not answer makes `present` null, not an error. */
  inspect(): Promise<HostInspection>
  /** Gives the home or the paths of the installation the owner and mode they should have. 404 for a path that is not one of them. */
  repairPath(input: { path: string }): Promise<void>
  /** Ends a PHP master that belongs to no account; 409 for any other process. */
  endPhp(input: { pid: number }): Promise<void>
}
