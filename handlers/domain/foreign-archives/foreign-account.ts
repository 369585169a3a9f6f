/** A panel whose archives of one account are read. */
export type ForeignPanel = 'hestia' | 'vesta' | 'cpanel' | 'directadmin'

/** The password of a database user as its server kept it. */
export type CarriedHash =
  /** `*` and 40 hexadecimal digits, which MariaDB and MySQL take over. */
  | { kind: 'mysql_native_password'; text: string }
  /** Nothing that a server here takes: the user gets a new password. */
  | { kind: 'none' }

/** A user of a database there. */
export interface ForeignDatabaseUser {
  name: string
  hash: CarriedHash
  /** Privileges as they were granted; `['ALL PRIVILEGES']` where the archive does not tell. */
  privileges: readonly string[]
}

/** How a member of an archive is compressed. */
export type Compression = 'none' | 'gzip' | 'zstd'

/** A database, and where its dump is in the archive. */
export interface ForeignDatabase {
  engine: 'mariadb' | 'postgresql'
  /** Full name as it was there. */
  name: string
  /** Name of the member that is the dump. */
  dump: string
  /** How the dump is compressed within the archive. */
  compression: Compression
  /** Form of the dump: SQL, or what only `pg_restore` reads. */
  form: 'sql' | 'pg_custom'
  charset: string | null
  collation: string | null
  users: readonly ForeignDatabaseUser[]
}

/** The certificate that a site served. */
export interface ForeignCertificate {
  /** PEM each; `chain` may be empty. */
  key: string
  certificate: string
  chain: string
}

/** One site with all of its names; whether they may be names here nobody has judged. */
export interface ForeignDomain {
  name: string
  /** Other names of the same site, the automatic `www.` among them. */
  aliases: readonly string[]
  /** Document root below the home, without a slash at either end. */
  root: string
  /** E.g. `8.2`; null: that of the account. */
  phpVersion: string | null
  redirectHttps: boolean
  hsts: boolean
  certificate: ForeignCertificate | null
}

/** A part of the home in the archive. */
export interface ForeignTree {
  /** An inner archive, or a folder of the archive itself (with a slash at its end). */
  member: string
  compression: Compression
  /** Where it goes below the home; '' is the home itself. */
  into: string
}

/** A job that ran at times; what it is as one of ours is for the checks of an import to say. */
export interface ForeignCronJob {
  /** Five fields, or `@daily` and the like, that come true some day. */
  schedule: string
  /** One line for a shell. */
  command: string
  /** Null: by the clock of that machine. */
  timeZone: string | null
  /** Whether it ran there. */
  enabled: boolean
}

/** One line of what becomes of a thing of the archive. */
export interface ReportLine {
  /** `taken` as it is, `changed` on its way, `left` in the archive. */
  what: 'taken' | 'changed' | 'left'
  /** E.g. `domain shop.example`. */
  subject: string
  /** Why it is changed or left, in a sentence; '' for what is taken. */
  reason: string
}

/** What one account's archive of another panel says. Everything in it is as hostile as its author. */
export interface ForeignAccount {
  panel: ForeignPanel
  username: string
  email: string | null
  /** The uid there. */
  uid: number | null
  /** Absolute, without a slash at its end. */
  home: string
  suspended: boolean
  phpVersion: string | null
  /** Name of the first of `domains` that is the account's main one. */
  primaryDomain: string
  domains: readonly ForeignDomain[]
  databases: readonly ForeignDatabase[]
  cron: readonly ForeignCronJob[]
  trees: readonly ForeignTree[]
  report: readonly ReportLine[]
}

/** What was read of an archive before anything is done with it. */
export interface SurveyedArchive {
  /** Names of all members but those of homes, without a leading `./`. */
  names: readonly string[]
  /** Contents of the small files that describe the account, by name. */
  texts: ReadonlyMap<string, string>
}
