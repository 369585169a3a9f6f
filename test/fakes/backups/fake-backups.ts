import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError, conflict, invalid, isAppError, notFound } from '#handlers/errors.ts'
import type {
  BackupFacts,
  BackupProgress,
  BackupWork,
  BackupsPort,
  KnownBackup,
  RemoteTarget,
} from '#handlers/ports/host/backups/backups.ts'

import type { KeptRestore, RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'

export interface FakeBackups extends BackupsPort {
  /** Archives by `<location>/<filename>`: what they hold. */
  files: Map<string, string>
  configured: RemoteTarget[]
  /** `<what> <filename>` of every restore that was done, `undo <id>` of every one undone. */
  restored: string[]
  /** What the next works fail with. */
  failures: Error[]
  /** Keeps what was there before the import of a dump. */
  keepDump(
    work: { operationId: string; username: string },
    from: { path: string },
    database: BackupFacts['databases'][number],
  ): void
  /** As a host that was started anew: it knows of no work that was begun. */
  forgetWorks(): void
}

const WORDS: Record<string, string> = {
  'all all': 'all',
  'all none': 'files',
  'none all': 'databases',
}
const wordOf = ({ files, databases }: RestoreParts): string =>
  WORDS[`${String(files)} ${String(databases)}`] ?? JSON.stringify([files, databases])

/** Marks what another copy may not have. */
const COPY = { field: 'location' }

const at = (location: string, filename: string): string => `${location}/${filename}`
const sha256 = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Backups held in memory. */
export const createFakeBackups = (host: {
  hasAccount(username: string): boolean
  databases(username: string): BackupFacts['databases']
}): FakeBackups => {
  const works = new Map<string, BackupProgress>()
  const checkName = ({ username, filename }: { username: string; filename: string }): void => {
    if (filename.split('-')[0] !== username) throw invalid('filename', 'filename is not its own.')
  }
  const checkPlace = (location: string): void => {
    if (location !== 'local' && !port.configured.some(({ name }) => name === location))
      throw new AppError(404, `There is no backup target named "${location}".`, COPY)
  }
  const contentOf = ({ location, filename }: KnownBackup): string => {
    checkPlace(location)
    const content = port.files.get(at(location, filename))
    if (content === undefined) throw new AppError(404, 'The file of the backup is gone.', COPY)
    return content
  }
  const kept = new Map<string, KeptRestore>()
  const keep = (
    { operationId, username }: { operationId: string; username: string },
    more: Omit<KeptRestore, 'id' | 'restoredAt' | 'until'>,
  ): void => {
    const [restoredAt, until] = [Date.now(), Date.now() + 86_400_000].map(timestamp)
    if (restoredAt !== undefined && until !== undefined)
      kept.set(username, { ...more, id: operationId, restoredAt, until })
  }
  const run = async (work: BackupWork): Promise<BackupFacts | null> => {
    const failure = port.failures.shift()
    if (failure) throw failure
    if (work.kind === 'create') {
      if (!host.hasAccount(work.username)) throw notFound('There is no such account.')
      if (port.files.has(at('local', work.filename))) throw conflict('It exists already.')
      const content = `backup ${work.filename}`
      port.files.set(at('local', work.filename), content)
      const databases = host.databases(work.username)
      return {
        sizeBytes: content.length,
        sha256: await sha256(content),
        databases,
        skipped: 1,
        skippedPaths: ['private/key'],
      }
    }
    if (work.kind === 'undo') {
      const restore = kept.get(work.username)
      if (restore?.id !== work.restoreId) throw notFound('There is no such restore.')
      if (restore.lost !== null) throw conflict('It cannot be undone any more.')
      keep(work, { ...restore, isUndo: !restore.isUndo })
      port.restored.push(`undo ${work.restoreId}`)
      return null
    }
    checkPlace(work.location)
    const from = work.kind === 'upload' ? { ...work, location: 'local' } : work
    const content = contentOf(from)
    if ((await sha256(content)) !== work.sha256) throw conflict('Its checksum differs.', COPY.field)
    if (work.kind === 'upload') port.files.set(at(work.location, work.filename), content)
    else {
      const { parts, filename, location } = work
      port.restored.push(`${wordOf(parts)} ${filename}`)
      const restore = { from: { kind: 'archive' as const, filename, location }, parts }
      keep(work, { ...restore, isUndo: false, lost: null })
    }
    return null
  }
  const port: FakeBackups = {
    files: new Map(),
    configured: [],
    restored: [],
    failures: [],
    forgetWorks: () => works.clear(),
    keepDump: (work, { path }, database) =>
      keep(work, {
        from: { kind: 'dump', path },
        parts: { files: 'none', databases: [database] },
        isUndo: false,
        lost: null,
      }),
    async start(work) {
      if (work.kind !== 'undo') checkName(work)
      if (works.has(work.operationId)) return
      const base = { step: '', detail: '', percent: 100, result: null, error: null }
      try {
        works.set(work.operationId, { ...base, state: 'done', result: await run(work) })
      } catch (error) {
        const told = isAppError(error)
          ? { status: error.status, message: error.message, ...(error.field && COPY) }
          : { status: 500, message: String(error) }
        works.set(work.operationId, { ...base, state: 'failed', error: told })
      }
    },
    async wait({ operationId }) {
      const none = { step: '', detail: '', percent: 0, result: null, error: null }
      return works.get(operationId) ?? { ...none, state: 'unknown' }
    },
    async restores({ username }) {
      const restore = kept.get(username)
      return restore === undefined ? [] : [restore]
    },
    async contents(input) {
      checkName(input)
      contentOf(input)
      if (input.directory !== '') throw notFound('The backup holds no such folder.')
      const entry = { path: 'public_html', type: 'directory' as const, sizeBytes: 0, mode: '750' }
      return {
        entries: [{ ...entry, modifiedAt: '2026-01-02 03:04:05' }].slice(input.offset),
        total: 1,
        databases: host.databases(input.username),
      }
    },
    async remove(backup) {
      checkName(backup)
      port.files.delete(at(backup.location, backup.filename))
    },
    async read(backup) {
      checkName(backup)
      return { content: btoa(contentOf(backup).slice(backup.offset)) }
    },
    targets: async () => port.configured,
  }
  return port
}
