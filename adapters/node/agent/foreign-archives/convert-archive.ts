import { createHash } from 'node:crypto'
import path from 'node:path'
import { databaseNamesHere, usernameHere } from '#handlers/domain/foreign-archives/names-here.ts'
import { NEW_PASSWORD } from '#handlers/domain/foreign-archives/carried-hash.ts'
import type {
  ForeignDatabase,
  ForeignDatabaseUser,
} from '#handlers/domain/foreign-archives/foreign-account.ts'
import { readForeignArchive } from '#handlers/domain/foreign-archives/foreign-archives.ts'
import {
  createReportLines,
  type ReportLines,
} from '#handlers/domain/foreign-archives/report-lines.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError, conflict } from '#handlers/errors.ts'
import type { ReportLine } from '#handlers/ports/host/backups/archived-records.ts'
import { certificateMember, type Manifest } from '../backups/manifest.ts'
import type { ArchiveKey } from '../backups/records/archive-keys.ts'
import type { SmallMember } from '../backups/records/collect-records.ts'
import { SEALED, sealSecrets } from '../backups/records/secrets.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import { writeArchive } from '../backups/write-archive.ts'
import { cronHere } from './cron-here.ts'
import { surveyArchive } from './survey-archive.ts'
import { toAccountRecord } from './to-account-record.ts'
import { takeDumps, type PlainDump } from './take-dumps.ts'
import { walkHome } from './walk-home.ts'

const PANELS = {
  hestia: 'HestiaCP',
  vesta: 'VestaCP',
  cpanel: 'cPanel',
  directadmin: 'DirectAdmin',
} as const

/** Domains, and databases, of one account. */
const MAX_THINGS = 2000

const measured = (content: Buffer) => ({
  size_bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

/** Names of sites of whose certificates a member of ours can be made. */
const PLAIN_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/** The one user that each database has here: each user serves one database. */
const usersOf = (
  databases: readonly ForeignDatabase[],
  how: {
    rename: { there: string; here: string }
    nameHere: (database: ForeignDatabase) => string
    report: Pick<ReportLines, 'changed' | 'left'>
  },
) => {
  const { rename, nameHere, report } = how
  // The account's own user, whom cPanel gives every database, is hardly ever what a site uses.
  // Of the others one whose password is known goes first.
  const rank = ({ name, hash }: ForeignDatabaseUser): number =>
    Number(name === rename.there) * 2 + Number(hash.kind === 'none')
  const chosen = new Map(
    databases.map((database) => {
      const [user, ...others] = database.users.toSorted((one, other) => rank(one) - rank(other))
      for (const { name } of others)
        report.left(`database user ${name}`, `${nameHere(database)} has one user here.`)
      return [database, user]
    }),
  )
  const names = databaseNamesHere(
    [...chosen.values()].flatMap((user) => (user ? [user.name] : [])),
    rename,
  )
  const taken = new Set<string>()
  return new Map(
    databases.map((database) => {
      const user = chosen.get(database)
      const here = user && names.get(user.name)
      if (user === undefined || here === undefined || taken.has(here)) {
        const fallback = nameHere(database)
        if (user)
          report.changed(
            `database user ${user.name}`,
            `For ${fallback} it is ${fallback} here, with a new password: a user serves one database.`,
          )
        taken.add(fallback)
        return [database, { user: fallback, password_hash: null }]
      }
      taken.add(here)
      if (here !== user.name)
        report.changed(`database user ${user.name}`, `Its name here is ${here}.`)
      const { hash } = user
      if (hash.kind === 'none') report.changed(`database user ${here}`, NEW_PASSWORD)
      return [
        database,
        { user: here, password_hash: hash.kind === 'mysql_native_password' ? hash.text : null },
      ]
    }),
  )
}

/**
 * Makes one of our archives of another panel's, in `directory`, which is this piece of
 * work's alone. The archive is hostile: it is read in this process in bounds, and none
 * of its names reaches the disk. Answers the new file, and what was taken, changed and
 * left. 409 for an archive of no known panel and for a damaged one, 413 beyond `limits`.
 */
export const convertArchive = async (input: {
  file: string
  directory: string
  /** The folder in which homes are on this host. */
  homeBase: string
  limits: TarLimits
  key: ArchiveKey
  nowMs: number
  /** Turns a dump that only `pg_restore` reads into SQL; null: it is not installed here. */
  plainDump: PlainDump
  onHome: (bytes: number) => void
}): Promise<{
  file: string
  sizeBytes: number
  sha256: string
  report: ReportLine[]
  /** Where the home was there, and where panels have it as a rule. */
  formerHomes: string[]
}> => {
  const { directory, limits, key, nowMs } = input
  const account = readForeignArchive(await surveyArchive(input.file, limits))
  if (account === null)
    throw conflict(
      'The file is no archive of an account: neither one of Berth nor one of HestiaCP, VestaCP, cPanel or DirectAdmin.',
    )
  if (account.domains.length > MAX_THINGS || account.databases.length > MAX_THINGS)
    throw new AppError(413, `The archive has more than ${MAX_THINGS} domains or databases.`)
  const { lines, changed, left } = createReportLines()
  lines.push(...account.report)
  const username = usernameHere(account.username)
  if (username !== account.username)
    changed(`account ${account.username}`, `Its name here is ${username}.`)
  const home = path.posix.join(input.homeBase, username)

  const cron = cronHere(account, home, { changed })
  const rename = { there: account.username, here: username }
  const namesHere = databaseNamesHere(
    account.databases.map(({ name }) => name),
    rename,
  )
  const nameHere = ({ name }: ForeignDatabase): string => namesHere.get(name) ?? name
  for (const [there, here] of namesHere)
    if (there !== here)
      changed(`database ${there}`, `Its name here is ${here}, which its site must be told.`)
  const fileOf = (database: ForeignDatabase): string =>
    `${database.engine}-${nameHere(database)}.sql`
  const dumps = await takeDumps({
    ...{ file: input.file, databases: account.databases, directory, limits },
    plainDump: input.plainDump,
    nameOf: fileOf,
    onRefused: ({ name }, why) => left(`database ${name}`, why),
  })
  const usersHere = usersOf(
    dumps.map(({ database }) => database),
    {
      rename,
      nameHere,
      report: { changed, left },
    },
  )
  const databases = dumps.map(({ database, sizeBytes, sha256 }): Manifest['databases'][number] => ({
    engine: database.engine,
    database: nameHere(database),
    file: fileOf(database),
    size_bytes: sizeBytes,
    sha256,
    ...(usersHere.get(database) ?? { user: null, password_hash: null }),
  }))

  const members: SmallMember[] = []
  const certificates: Manifest['certificates'] = []
  const keys: Record<string, string> = {}
  for (const { name, certificate } of account.domains) {
    if (certificate === null || !PLAIN_NAME.test(name) || keys[name] !== undefined) continue
    const content = Buffer.from(certificate.certificate + certificate.chain)
    keys[name] = certificate.key
    members.push({ name: certificateMember(name), content })
    certificates.push({ domain: name, ...measured(content) })
  }
  const { bytes, iv } = sealSecrets(
    {
      panel: { password_hash: '', second_factor: null },
      system_password_hash: null,
      certificate_keys: keys,
    },
    key,
  )
  members.push({ name: SEALED, content: bytes })
  const createdAt = timestamp(nowMs)
  const file = path.join(directory, 'converted.tar.gz')
  const { sizeBytes, sha256 } = await writeArchive({
    file,
    home: (put, skipped) =>
      walkHome({
        ...{ file: input.file, account, home, limits },
        onSkipped(name, why) {
          skipped.add(name)
          if (skipped.result().skippedPaths.includes(name)) left(`file ${name}`, `${why}.`)
        },
        visit: put,
      }),
    manifest: {
      version: 2,
      username,
      created_at: createdAt,
      made_by: PANELS[account.panel],
      uid: account.uid,
      home,
      record: { ...toAccountRecord(account, createdAt), cron },
      databases,
      database_users: [],
      certificates,
      sealed: {
        ...{ file: SEALED, cipher: 'aes-256-ctr', key_id: key.id, iv },
        ...measured(bytes),
      },
    },
    members,
    key,
    dumpsDir: directory,
    nowSecs: Math.floor(nowMs / 1000),
    onHome: input.onHome,
  })
  const formerHomes = [account.home, `/home/${account.username}`]
  return { file, sizeBytes, sha256, report: lines, formerHomes }
}
