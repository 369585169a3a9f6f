import { accountRecordSchema } from '#handlers/domain/backups/archived-record.ts'
import { AppError, conflict, isAppError, notFound } from '#handlers/errors.ts'
import type {
  ArchiveFacts,
  ArchiveSource,
  PanelSecrets,
} from '#handlers/ports/host/backups/archived-records.ts'
import type { InstalledCertificate } from '#handlers/ports/host/certificates.ts'
import type {
  DatabaseMove,
  ImportProgress,
  ImportsPort,
} from '#handlers/ports/host/backups/imports.ts'

/** An archive that the fake host has at a path, or as `<location>/<filename>`. */
export interface FakeArchive {
  facts: ArchiveFacts
  secrets: PanelSecrets | null
}

export interface FakeImports extends ImportsPort {
  archives: Map<string, FakeArchive>
  /** What was put where, e.g. `bob alice_shop>bob_shop`. */
  filled: string[]
  /** What passwords were taken over, as above; `system` with that of the system user. */
  taken: string[]
  /** Accounts whose configuration files were pointed at their home. */
  pointed: string[]
  opened: Map<string, FakeArchive>
  /** What the next steps fail with. */
  failures: Error[]
}

const movesOf = (moves: readonly DatabaseMove[]): string =>
  moves.map(({ from, to }) => ` ${from}>${to}`).join('')

const placeOf = (source: ArchiveSource): string => {
  if (source.kind === 'file') return source.path
  if (source.kind === 'target') return `${source.target}/${source.filename}`
  return `${source.location}/${source.kind === 'backup' ? source.filename : source.snapshotId}`
}

/** Archives held in memory, refused as the real host refuses them: a record without its shape with 409. */
export const createFakeImports = (host: {
  hasAccount(username: string): boolean
  issue(input: {
    operationId: string
    username: string
    domain: string
  }): Promise<InstalledCertificate>
}): FakeImports => {
  const steps = new Map<string, ImportProgress>()
  const base = { step: '', detail: '', percent: 100, result: null, error: null }
  const begin = async (key: string, work: () => ArchiveFacts): Promise<void> => {
    try {
      const failure = port.failures.shift()
      if (failure) throw failure
      steps.set(key, { ...base, state: 'done', result: work() })
    } catch (error) {
      const told = isAppError(error)
        ? {
            status: error.status,
            message: error.message,
            ...(error.field && { field: error.field }),
          }
        : { status: 500, message: String(error) }
      steps.set(key, { ...base, state: 'failed', error: told })
    }
  }
  const requireOpen = (importId: string): FakeArchive => {
    const archive = port.opened.get(importId)
    if (archive === undefined) throw conflict('It is not open.')
    return archive
  }
  const port: FakeImports = {
    archives: new Map(),
    filled: [],
    taken: [],
    pointed: [],
    opened: new Map(),
    failures: [],
    async find(input) {
      const path = 'target' in input ? input.target : input.path
      const found = [...port.archives].filter(
        ([name]) => name === path || name.startsWith(`${path}/`),
      )
      if (found.length === 0) throw notFound(`There is nothing at ${path}.`)
      return found.map(([name, { facts }]) => ({
        path: name,
        filename: name.split('/').at(-1) ?? '',
        sizeBytes: facts.sizeBytes,
      }))
    },
    open: ({ importId, source }) =>
      begin(`${importId}:open`, () => {
        const name = placeOf(source)
        const archive = port.archives.get(name)
        if (archive === undefined) throw new AppError(404, `There is nothing at ${name}.`)
        const { record } = archive.facts
        if (record !== null && !accountRecordSchema.safeParse(record).success)
          throw conflict('The manifest.json of the archive has an unknown form.')
        port.opened.set(importId, archive)
        return archive.facts
      }),
    fill: ({ importId, username, databases }) =>
      begin(`${importId}:fill`, () => {
        const { facts } = requireOpen(importId)
        if (!host.hasAccount(username)) throw notFound('There is no such account.')
        port.filled.push(`${username}${movesOf(databases)}`)
        return facts
      }),
    wait: async ({ importId, step }) =>
      steps.get(`${importId}:${step}`) ?? { ...base, state: 'unknown' },
    async takeCertificate({ importId, operationId, username, from, domain }) {
      const { secrets } = requireOpen(importId)
      if (secrets === null) throw notFound(`The archive has no certificate of ${from}.`)
      return host.issue({ operationId, username, domain })
    },
    async pointConfigs({ importId, username }) {
      const { facts } = requireOpen(importId)
      port.pointed.push(username)
      return { changed: facts.configs, left: [], copies: '.before-import' }
    },
    async takePasswords({ importId, username, databases, users, system }) {
      const { secrets } = requireOpen(importId)
      port.taken.push(`${username}${movesOf([...databases, ...users])}${system ? ' system' : ''}`)
      return secrets
    },
    async close({ importId }) {
      port.opened.delete(importId)
    },
  }
  return port
}
