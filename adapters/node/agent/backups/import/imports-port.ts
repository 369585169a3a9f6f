import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { readdir, rm, mkdir, statfs } from 'node:fs/promises'
import path from 'node:path'
import { isArchiveName } from '#handlers/domain/backups/archive-name.ts'
import { conflict, notFound } from '#handlers/errors.ts'
import type {
  ArchiveFacts,
  ArchiveSource,
  FoundArchive,
} from '#handlers/ports/host/backups/archived-records.ts'
import type { CertificatesPort } from '#handlers/ports/host/certificates.ts'
import type { DatabaseMove, ImportsPort } from '#handlers/ports/host/backups/imports.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Engine } from '../../databases/engine.ts'
import type { AccountLock, RegisteredDatabase, Registry } from '../../registry/types.ts'
import { measureFile } from '../archive-file.ts'
import type { Report } from '../works/report.ts'
import { fetchArchive } from '../remote/fetch-file.ts'
import type { RemoteStore } from '../remote/remote-store.ts'
import type { ArchiveKeys } from '../records/archive-keys.ts'
import { archiveSource } from '../restore/archive-source.ts'
import type { SystemPasswords } from '../records/system-passwords.ts'
import type { Restorer } from '../restore-backup.ts'
import { createWorks } from '../works/works.ts'
import { administratorsPlace } from '../../../archives/administrators-place.ts'
import { convertArchive } from '../../foreign-archives/convert-archive.ts'
import { isOwnArchive } from '../../foreign-archives/is-own-archive.ts'
import type { TarLimits } from '../../../archives/tar-reader.ts'
import type { HelperPool } from '../../files/helper-pool.ts'
import { readOpened } from './read-opened.ts'
import type { OpenedArchive } from './read-opened.ts'

/** Each holds the records of an archive in memory. */
const MAX_OPEN = 8
/** Of one that nobody asks for any more, since its panel was killed; longer than any step between two questions. */
const FORGET_MS = 6 * 3_600_000
/** A home of millions of files is walked through. */
const CONFIGS_TIMEOUT_MS = 10 * 60_000
const MAX_FOUND = 10_000
const MAX_ENTRIES = 2_000_000

const isArchiveFile = (name: string): boolean => /\.(?:tar|tar\.gz|tgz|tar\.zst)$/.test(name)

export interface ImportsDeps {
  registry: Registry
  lock: AccountLock
  helpers: Pick<HelperPool, 'ask'>
  engines: readonly Engine[]
  keys: ArchiveKeys
  passwords: SystemPasswords
  /** Whether a new account may have that number. */
  uidIsFree: (uid: number) => Promise<boolean>
  certificates: Pick<CertificatesPort, 'install'>
  restorer: Pick<Restorer, 'restore'>
  /** The store behind a target; 404 for a name that none has. */
  storeAt: (target: string) => RemoteStore
  /** A backup's file on this host, fetched into `directory` where it is elsewhere. */
  fetchBackup: (
    source: Extract<ArchiveSource, { kind: 'backup' }>,
    directory: string,
    report: Report,
  ) => Promise<string>
  /** A snapshot as an archive, written into `directory`. */
  fetchSnapshot: (
    source: Extract<ArchiveSource, { kind: 'snapshot' }>,
    directory: string,
    report: Report,
  ) => Promise<string>
  /** The folder in which homes of new accounts are. */
  homeBase: string
  /** Directory of one import, ours alone. */
  workDir: (importId: string) => string
  log: Log
  waitMs: number
}

/** Archives that are brought in, over the restorer; see `ImportsPort` for what each call promises. */
export const createImportsPort = (deps: ImportsDeps): ImportsPort => {
  const { registry, engines } = deps
  const works = createWorks<ArchiveFacts>(deps.log, deps.waitMs)
  const opened = new Map<string, OpenedArchive>()
  /** Those that are being read count too. */
  const opening = new Set<string>()

  const timers = new Map<string, NodeJS.Timeout>()
  const touch = (importId: string): void => {
    clearTimeout(timers.get(importId))
    const timer = setTimeout(() => void forget(importId).catch(() => undefined), FORGET_MS)
    timers.set(importId, timer.unref())
  }
  const requireOpen = (importId: string): OpenedArchive => {
    const archive = opened.get(importId)
    if (archive) {
      touch(importId)
      return archive
    }
    throw conflict('The host no longer has this archive open. Begin the import again.')
  }
  const forget = async (importId: string): Promise<void> => {
    clearTimeout(timers.get(importId))
    timers.delete(importId)
    opened.delete(importId)
    opening.delete(importId)
    await rm(deps.workDir(importId), { recursive: true, force: true })
  }
  const ownRow = (username: string, { engine, to }: DatabaseMove): RegisteredDatabase => {
    const row = registry.database(engine, to)
    if (row?.username === username) return row
    throw notFound(`Account ${username} has no database ${to}.`)
  }
  const ownAccount = (username: string) => {
    const account = registry.account(username)
    if (account && !account.suspended) return account
    throw notFound(`There is no open account "${username}" on this host.`)
  }

  const fileOf = async (importId: string, source: ArchiveSource, report: Report) => {
    if (source.kind === 'file') {
      const { path: file, kind } = await administratorsPlace(source.path)
      if (kind === 'file') return file
      throw conflict(`${source.path} is a directory. Name one of its archives.`, 'path')
    }
    if (source.kind === 'target')
      return fetchArchive(deps.storeAt(source.target), source, deps.workDir(importId), report)
    if (source.kind === 'snapshot')
      return deps.fetchSnapshot(source, deps.workDir(importId), report)
    const file = await deps.fetchBackup(source, deps.workDir(importId), report)
    const { sha256, sizeBytes } = await measureFile(file)
    if (sha256 !== source.sha256 || sizeBytes !== source.sizeBytes)
      throw conflict(
        'The backup file is not the one that was made: its checksum differs.',
        'location',
      )
    return file
  }

  /** One of ours, or made into one of ours: what it says is then its author's word alone. */
  const readArchive = async (
    file: string,
    directory: string,
    limits: TarLimits,
    report: Report,
  ): Promise<OpenedArchive> => {
    if (await isOwnArchive(file)) return readOpened(file, deps.keys, limits, deps.uidIsFree)
    const converted = await convertArchive({
      ...{ file, directory, limits, homeBase: deps.homeBase },
      key: await deps.keys.own(),
      nowMs: Date.now(),
      plainDump: (dump) =>
        engines.find(({ name }) => name === 'postgresql')?.plainDump?.(dump) ?? null,
      onHome: (bytes) => report('read', inMegabytes(bytes, Math.round), 40),
    })
    const archive = await readOpened(
      converted.file,
      deps.keys,
      limits,
      deps.uidIsFree,
      converted.formerHomes,
    )
    const given = await measureFile(file)
    return {
      ...archive,
      facts: { ...archive.facts, ...given, proof: 'unproved', report: converted.report },
    }
  }

  const open = async (importId: string, source: ArchiveSource, report: Report) => {
    const directory = deps.workDir(importId)
    await mkdir(path.dirname(directory), { recursive: true, mode: 0o700 })
    await mkdir(directory, { mode: 0o700 })
    try {
      const file = await fileOf(importId, source, report)
      report('read', path.basename(file), 10)
      // What has no room on the disk cannot be brought in, so it need not be read to its end.
      const { bavail, bsize } = await statfs(directory)
      const limits = { maxEntries: MAX_ENTRIES, maxBytes: bavail * bsize }
      const archive = await readArchive(file, directory, limits, report)
      // Closed meanwhile.
      if (!opening.has(importId)) throw conflict('This import was given up.')
      opened.set(importId, archive)
      return archive.facts
    } catch (error) {
      await forget(importId)
      throw error
    }
  }

  const found = (file: string, sizeBytes: number): FoundArchive => ({
    path: file,
    filename: path.basename(file),
    sizeBytes,
  })

  return {
    async find(input) {
      if ('target' in input) {
        const { target } = input
        const files = await deps.storeAt(target).list('', isArchiveName)
        return files.map(({ name, sizeBytes }) => ({
          path: `${target}/${name}`,
          filename: name,
          sizeBytes,
        }))
      }
      const { path: given } = input
      const place = await administratorsPlace(given)
      if (place.kind === 'file') return [found(place.path, place.sizeBytes)]
      const names = (await readdir(place.path)).filter(isArchiveFile)
      const archives: FoundArchive[] = []
      for (const name of names.sort().slice(0, MAX_FOUND)) {
        const file = await administratorsPlace(path.join(place.path, name)).catch(() => null)
        if (file?.kind === 'file') archives.push(found(file.path, file.sizeBytes))
      }
      return archives
    },

    async open({ importId, source }) {
      if (opening.has(importId)) return
      if (opening.size >= MAX_OPEN)
        throw conflict('Several archives are being brought in. Try again when one is done.')
      opening.add(importId)
      touch(importId)
      works.start(`${importId}:open`, (report) => open(importId, source, report))
    },

    async fill({ importId, username, databases }) {
      const { file, facts, manifest, measured } = requireOpen(importId)
      ownAccount(username)
      works.start(`${importId}:fill`, async (report) => {
        await deps.lock(`backups of ${username}`, () =>
          deps.restorer.restore(
            {
              operationId: importId,
              username,
              parts: { files: 'all', databases: 'all' },
              source: archiveSource({
                ...{ file, ...measured, username: manifest.username },
                keys: deps.keys,
              }),
              databases,
              from: null,
            },
            report,
          ),
        )
        return facts
      })
    },

    wait({ importId, step }) {
      if (opening.has(importId)) touch(importId)
      return works.wait(`${importId}:${step}`)
    },

    async takeCertificate({ importId, operationId, username, from, domain }) {
      const { certificates, secrets } = requireOpen(importId)
      const [certificate, key] = [certificates.get(from), secrets?.certificate_keys[from]]
      if (certificate === undefined || key === undefined)
        throw notFound(`The archive has no certificate of ${from} that could be used.`)
      return deps.certificates.install({ operationId, username, domain, certificate, key })
    },

    async pointConfigs({ importId, username }) {
      const { facts } = requireOpen(importId)
      const from = facts.formerHomes
      const { data } = await deps.lock(username, () =>
        deps.helpers.ask(
          ownAccount(username),
          { op: 'pointConfigs', from },
          { timeoutMs: CONFIGS_TIMEOUT_MS },
        ),
      )
      return data
    },

    async takePasswords({ importId, username, databases, users, system }) {
      const { manifest, secrets } = requireOpen(importId)
      await deps.lock(username, async () => {
        for (const move of databases) {
          const row = ownRow(username, move)
          const dump = manifest.databases.find(
            (one) => one.engine === move.engine && one.database === move.from,
          )
          const engine = engines.find(({ name }) => name === row.engine)
          const hash = dump?.password_hash ?? null
          if (engine && hash !== null) await engine.setPasswordHash(row.user, hash)
        }
        for (const { engine: kind, from, to } of users) {
          const row = registry.databaseUser(kind, to)
          if (row?.username !== username)
            throw notFound(`Account ${username} has no further database user ${to}.`)
          const engine = engines.find(({ name }) => name === kind)
          const hash = manifest.database_users.find(
            (one) => one.engine === kind && one.user === from,
          )?.password_hash
          if (engine && typeof hash === 'string') await engine.setPasswordHash(to, hash)
        }
        const account = ownAccount(username)
        const hash = secrets?.system_password_hash ?? null
        if (system && hash !== null) await deps.passwords.set(account, hash)
      })
      // Another panel's archive seals certificates, but no password.
      return secrets?.panel.password_hash === '' ? null : (secrets?.panel ?? null)
    },

    async close({ importId }) {
      await forget(importId)
    },
  }
}
