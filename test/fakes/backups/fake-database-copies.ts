import { exportName, exportOf } from '#handlers/domain/databases/export-name.ts'
import { conflict, isAppError, notFound } from '#handlers/errors.ts'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type {
  DatabaseCopiesPort,
  DatabaseCopyWork,
  DatabaseExport,
} from '#handlers/ports/host/database-copies.ts'
import type { FakeBackups } from './fake-backups.ts'
import type { FakeFiles } from '../fake-files.ts'

export interface FakeDatabaseCopies extends DatabaseCopiesPort {
  /** What databases hold, by `<engine>:<database>`. */
  contents: Map<string, string>
}

const MAX_BYTES = 2 ** 20

/** Databases as files, held in memory. */
export const createFakeDatabaseCopies = (host: {
  isSuspended(username: string): boolean | null
  has(work: DatabaseCopyWork): boolean
  files: FakeFiles
  backups: FakeBackups
}): FakeDatabaseCopies => {
  const works = new Map<string, BackupProgress<DatabaseExport>>()
  /** By `<username>/<filename>`. */
  const made = new Map<string, string>()
  const contents = new Map<string, string>()
  const none = { step: '', detail: '', percent: 0, result: null, error: null }

  const ofUser = (username: string): DatabaseExport[] => {
    if (host.isSuspended(username) === null) throw notFound('There is no such account.')
    return [...made]
      .filter(([key]) => key.startsWith(`${username}/`))
      .flatMap(([key, content]) => {
        const facts = exportOf(key.slice(username.length + 1))
        return facts === null ? [] : [{ ...facts, sizeBytes: content.length }]
      })
      .reverse()
  }
  const run = async (work: DatabaseCopyWork): Promise<DatabaseExport | null> => {
    const { username, engine, database } = work
    const suspended = host.isSuspended(username)
    if (suspended === null || !host.has(work)) throw notFound('There is no such database.')
    const key = `${engine}:${database}`
    if (work.kind === 'export') {
      const filename = exportName(work, Date.now(), work.format)
      for (const { filename: old, database: of } of ofUser(username))
        if (of === database) made.delete(`${username}/${old}`)
      made.set(`${username}/${filename}`, contents.get(key) ?? '-- empty\n')
      const [first] = ofUser(username)
      if (first === undefined) throw new Error('nothing was made')
      return first
    }
    if (suspended) throw conflict('The account is suspended.')
    const { path } = work
    const { content, encoding } = await host.files.read({ username, path, maxBytes: MAX_BYTES })
    const dump = encoding === 'utf8' ? content : atob(content)
    if (dump === '') throw conflict('The dump holds nothing. Nothing was changed.')
    if (dump.includes('GRANT')) throw conflict(`The dump of ${database} was refused by the server.`)
    contents.set(key, dump)
    host.backups.keepDump(work, { path }, { engine, database })
    return null
  }
  return {
    contents,
    async start(work) {
      if (works.has(work.operationId)) return
      try {
        works.set(work.operationId, {
          ...none,
          percent: 100,
          state: 'done',
          result: await run(work),
        })
      } catch (error) {
        const told = isAppError(error)
          ? { status: error.status, message: error.message }
          : { status: 500, message: String(error) }
        works.set(work.operationId, { ...none, state: 'failed', error: told })
      }
    },
    wait: async ({ operationId }) => works.get(operationId) ?? { ...none, state: 'unknown' },
    exports: async ({ username }) => ofUser(username),
    async read({ username, filename, offset }) {
      const content = made.get(`${username}/${filename}`)
      if (content === undefined) throw notFound(`There is no export ${filename}.`)
      return { content: btoa(content.slice(offset)) }
    },
    async remove({ username, filename }) {
      made.delete(`${username}/${filename}`)
    },
  }
}
