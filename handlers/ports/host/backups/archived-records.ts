import type { BackupSchedule } from '../../store/backup-schedule-store.ts'
import type { ApplicationSettings } from '../../store/application-store.ts'
import type { CronSettings } from '../../store/cron-store.ts'
import type { DatabaseGrant } from '../databases/database-users.ts'
import type { SiteSettings } from '../site-settings.ts'
import type { DatabaseAddressRow } from '../../store/databases/database-addresses-store.ts'
import type { KeyAccess, SshKeyRow } from '../../store/sftp/sftp-store.ts'
import type {
  ProofType,
  DatabaseEngine,
  DomainOptions,
  DomainType,
  PhpMode,
  PlanLimits,
} from '../../store/records.ts'

/** What an archive tells of an account; fields are named as in `manifest.json`, and no value is a secret but hashes of passwords that sites ask their visitors for. */
export interface ArchivedAccount {
  primary_domain: string
  email: string
  /** '' where the archive does not tell it, as with `email`; quotas are 0 then. */
  plan: string
  disk_quota_mb: number
  bandwidth_quota_mb: number
  suspended: boolean
  suspend_reason: string | null
  /** Null: the host's default. */
  php_version: string | null
  php_mode: PhpMode
  created_at: string
}

/** The plan of the account as it was, for a host that has none of that name. */
export type ArchivedPlan = PlanLimits & { name: string }

/** A domain with all its settings but the one that administrators have a say in. */
export interface ArchivedDomain extends Omit<DomainOptions, 'default_host'> {
  domain_name: string
  domain_type: DomainType
  /** Below the home, without leading slash. */
  document_root: string
  /** What it does before its own rules have a say; absent: nobody chose anything. */
  site?: SiteSettings
  created_at: string
}

/** How the certificate of a site came, for its renewal. */
export interface ArchivedCertificate {
  /** Name of the site. */
  domain: string
  source: 'acme' | 'uploaded'
  /** Where challenges were put, below the home; null: nowhere. */
  webroot: string | null
  forced: boolean
  /** How its names are proved; null: by HTTP, and wildcards by DNS. */
  challenge: ProofType | null
}

/** All that the panel knows of an account and an archive keeps. */
export interface AccountRecord {
  account: ArchivedAccount
  plan: ArchivedPlan
  domains: ArchivedDomain[]
  certificates: ArchivedCertificate[]
  cron: CronSettings[]
  /** Without secret variables, which no archive holds. */
  applications: ArchivedApplication[]
  /** From which its databases might be reached. */
  database_addresses: ArchivedDatabaseAddress[]
  /** The account's own; null: its plan's held, or the default. Absent: archives of before do not tell. */
  backup_schedule?: BackupSchedule | null
  sftp: {
    passwords: boolean
    shell: boolean
    keys: ArchivedSshKey[]
    users: ArchivedSftpUser[]
  }
}

/** An application as its owner set it, with the domains that led to it. */
export interface ArchivedApplication extends ApplicationSettings {
  name: string
  /** That open its repository alone. Not among the account's: who does not know of these would let them open all. */
  keys: ArchivedRepositoryKey[]
  domains: { domain_name: string; paths: string[] | null }[]
}

/** An address from which databases might be reached, with its note. */
export type ArchivedDatabaseAddress = Pick<DatabaseAddressRow, 'address' | 'note'>

/** A key that opens the account over SFTP. */
export type ArchivedSshKey = Pick<SshKeyRow, 'name' | 'public_key' | 'expires_at'>

/** A key that opens the repository of an application. */
export interface ArchivedRepositoryKey extends ArchivedSshKey {
  access: KeyAccess
}

/** A user for one folder; its password is not in archives. */
export interface ArchivedSftpUser {
  /** What follows the account's name. */
  name: string
  folder: string
  read_only: boolean
  keys: ArchivedSshKey[]
}

/** What the panel keeps secret of an account. It lies in an archive sealed, and nowhere else. */
export interface PanelSecrets {
  /** argon2id of the account's password. */
  password_hash: string
  /** Base32 secret of a second factor that is in force; null: none. */
  second_factor: string | null
}

/** Where an archive comes from that is brought in. */
export type ArchiveSource =
  /** Absolute path of a file that nobody but the administrator of the host can have put there. */
  | { kind: 'file'; path: string }
  /** A file at a target, of which nothing is known. */
  | { kind: 'target'; target: string; filename: string }
  /** A backup that the panel knows, e.g. of an account that is gone. */
  | {
      kind: 'backup'
      username: string
      filename: string
      location: string
      sha256: string
      sizeBytes: number
    }
  /** A snapshot in the account's repository at a place, also of one that is gone, or of a host whose key lies here. */
  | { kind: 'snapshot'; username: string; location: string; snapshotId: string }

/**
 * Whether an archive is as a known host made it. `own`: this host's key proves it;
 * `known`: a key of another host that was laid beside it; `unproved`: made before
 * archives had proofs, or with a key that is not here; anybody may have made it.
 */
export type ArchiveProof = 'own' | 'known' | 'unproved'

/** A database in an archive. */
export interface ArchivedDatabase {
  engine: DatabaseEngine
  database: string
  /** Null in archives of version 1. */
  user: string | null
  sizeBytes: number
  /** Whether the password of its user is in the archive (hashed). */
  hasPassword: boolean
}

/** A further user of databases in an archive; names are those that they had. */
export interface ArchivedDatabaseUser {
  engine: DatabaseEngine
  user: string
  grants: DatabaseGrant[]
}

/** What is in an archive that was read from its first byte to its last. No secret is in here. */
export interface ArchiveFacts {
  sha256: string
  sizeBytes: number
  version: number
  /** E.g. `berth 1.2.0`; null in archives of version 1. */
  madeBy: string | null
  username: string
  createdAt: string
  /** Number and home of the system user that it was made from; null in archives of version 1. */
  uid: number | null
  home: string | null
  /** Whether that number is nobody's on this host. */
  uidIsFree: boolean
  proof: ArchiveProof
  /** Identifies the key that it is sealed with; null: nothing is sealed. */
  keyId: string | null
  /** Whether passwords and keys can be unsealed here. */
  hasSecrets: boolean
  /** Null in archives of version 1. */
  record: AccountRecord | null
  databases: ArchivedDatabase[]
  /** Further users of them; empty in archives of before. */
  databaseUsers: ArchivedDatabaseUser[]
  /** Files, directories and links of the home. */
  homeEntries: number
  homeBytes: number
  /** Homes that absolute paths in its files may lie in: its own, and those of another panel. */
  formerHomes: string[]
  /** Known configuration files that name one of them, with how many paths; the first thousand. */
  configs: { path: string; paths: number }[]
  /** Of another panel's archive, what becomes of each thing in it; empty for archives of Berth. */
  report: ReportLine[]
}

/** One line of what becomes of a thing of another panel's archive. */
export interface ReportLine {
  /** `taken` as it is, `changed` on its way, `left` in the archive. */
  what: 'taken' | 'changed' | 'left'
  /** E.g. `domain shop.example`. */
  subject: string
  /** Why it is changed or left, in a sentence; '' for what is taken. */
  reason: string
}

/** A file that looks like an archive. */
export interface FoundArchive {
  /** Absolute; at a target its name, a slash and the file's name. */
  path: string
  filename: string
  sizeBytes: number
}
