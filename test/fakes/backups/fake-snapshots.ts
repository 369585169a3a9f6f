import type { SnapshotEntry } from '#handlers/ports/host/backups/snapshot-entry.ts'
import { snapshotPath } from '#handlers/domain/backups/snapshot-path.ts'
import { notFound, isAppError, invalid } from '#handlers/errors.ts'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type {
  SnapshotFacts,
  SnapshotPlace,
  SnapshotResult,
  SnapshotWork,
  SnapshotsPort,
} from '#handlers/ports/host/backups/snapshots.ts'
import type { BackedUpDatabase } from '#handlers/ports/store/records.ts'

/** A snapshot that the fake host has: its facts, and files by their paths. */
export interface FakeSnapshot {
  facts: SnapshotFacts
  files: Map<string, string>
}

export interface FakeSnapshots extends SnapshotsPort {
  version: string | null
  /** Newest last, by `<location>/<username>`. */
  repositories: Map<string, FakeSnapshot[]>
  /** `<username> <snapshot id>` of every restore that was done. */
  restored: string[]
  /** What the next works fail with. */
  failures: Error[]
  /** What new snapshots hold of each home. */
  contents: Map<string, string>
  /** Of the next snapshot; default: now. */
  clock: () => Date
  /** As a host that was started anew: it knows of no work that was begun. */
  forgetWorks(): void
}

const at = ({ location, username }: SnapshotPlace): string => `${location}/${username}`
const timestampOf = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ')
const BASE = { step: '', detail: '', percent: 100, result: null, error: null }

/** Snapshots held in memory. */
export const createFakeSnapshots = (host: {
  hasAccount(username: string): boolean
  places(): string[]
  databases(username: string): BackedUpDatabase[]
}): FakeSnapshots => {
  const works = new Map<string, BackupProgress<SnapshotResult>>()
  const reads = new Map<string, { left: string }>()
  let serial = 0

  const rowsAt = (place: SnapshotPlace): FakeSnapshot[] => {
    if (!host.places().includes(place.location))
      throw notFound(`There is no backup target named "${place.location}".`)
    return port.repositories.get(at(place)) ?? []
  }
  const oneOf = (place: SnapshotPlace, id: string): FakeSnapshot => {
    const found = rowsAt(place).find(({ facts }) => facts.id === id)
    if (found === undefined) throw notFound(`There is no snapshot ${id.slice(0, 8)}.`)
    return found
  }
  const drop = (place: SnapshotPlace, ids: readonly string[]): string[] => {
    const rows = rowsAt(place)
    const gone = rows.filter(({ facts }) => ids.includes(facts.id)).map(({ facts }) => facts.id)
    const kept = rows.filter(({ facts }) => !ids.includes(facts.id))
    port.repositories.set(at(place), kept)
    return gone
  }
  const make = (work: Extract<SnapshotWork, { kind: 'snapshot' }>): SnapshotFacts => {
    if (!host.hasAccount(work.username)) throw notFound('There is no such account.')
    const rows = rowsAt(work)
    const files = new Map(port.contents)
    const facts: SnapshotFacts = {
      id: (serial += 1).toString(16).padStart(64, '0'),
      createdAt: timestampOf(port.clock()),
      scheduled: work.scheduled,
      sizeBytes: [...files.values()].reduce((sum, text) => sum + text.length, 0),
      addedBytes: 100,
      files: files.size,
      databases: host.databases(work.username),
      unread: 0,
    }
    port.repositories.set(at(work), [...rows, { facts, files }])
    return facts
  }
  const run = (work: SnapshotWork): SnapshotResult => {
    const failure = port.failures.shift()
    if (failure) throw failure
    if (work.kind === 'snapshot') return { kind: 'snapshot', snapshot: make(work) }
    if (work.kind === 'remove') return { kind: 'remove', removed: drop(work, work.snapshotIds) }
    if (work.kind === 'check') {
      if (!port.repositories.has(at(work))) throw notFound('There are no snapshots.')
      return { kind: 'check', readBytes: 1000, seconds: 1 }
    }
    const { facts } = oneOf(work, work.snapshotId)
    if (work.kind === 'trial') {
      const databases = facts.databases.map((row) => ({ ...row, tables: 1, rows: 2 }))
      return { kind: 'trial', files: facts.files, bytes: facts.sizeBytes, databases, seconds: 1 }
    }
    if (!host.hasAccount(work.username)) throw notFound('There is no such account.')
    port.restored.push(`${work.username} ${work.snapshotId}`)
    return { kind: 'restore' }
  }
  const entriesOf = ({ files, facts }: FakeSnapshot, directory: string): SnapshotEntry[] => {
    const below = directory === '' ? '' : `${directory}/`
    const entries = new Map<string, SnapshotEntry>()
    for (const [path, text] of files) {
      if (!path.startsWith(below)) continue
      const name = below + (path.slice(below.length).split('/')[0] ?? '')
      const isFile = name === path
      entries.set(name, {
        path: name,
        type: isFile ? 'file' : 'directory',
        sizeBytes: isFile ? text.length : 0,
        mode: isFile ? '644' : '755',
        modifiedAt: facts.createdAt,
      })
    }
    if (entries.size === 0 && directory !== '')
      throw notFound(`There is no folder ${directory} in it.`)
    return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  const port: FakeSnapshots = {
    version: '0.14.0',
    repositories: new Map(),
    restored: [],
    failures: [],
    contents: new Map([
      ['public_html/index.html', '<h1>hello</h1>'],
      ['public_html/ä.txt', 'umlaut'],
    ]),
    clock: () => new Date(),
    forgetWorks: () => works.clear(),
    engine: async () => ({ version: port.version }),
    async start(work) {
      if (works.has(work.operationId)) return
      try {
        works.set(work.operationId, { ...BASE, state: 'done', result: run(work) })
      } catch (error) {
        const told = isAppError(error)
          ? { status: error.status, message: error.message }
          : { status: 500, message: String(error) }
        works.set(work.operationId, { ...BASE, state: 'failed', error: told })
      }
    },
    wait: async ({ operationId }) =>
      works.get(operationId) ?? { ...BASE, percent: 0, state: 'unknown' },
    stop: async () => undefined,
    list: async (place) =>
      rowsAt(place)
        .map(({ facts }) => facts)
        .reverse(),
    async browse({ snapshotId, directory, offset, ...place }) {
      const entries = entriesOf(oneOf(place, snapshotId), snapshotPath(directory, 'directory'))
      return { entries: entries.slice(offset, offset + 1000), total: entries.length }
    },
    async open({ readId, snapshotId, what, ...place }) {
      const snapshot = oneOf(place, snapshotId)
      if ('database' in what) {
        const { engine, database } = what.database
        if (!snapshot.facts.databases.some((row) => row.database === database))
          throw notFound(`There is no database ${database} in it.`)
        reads.set(readId, { left: '-- dump' })
        return { filename: `${engine}-${database}.sql`, sizeBytes: 7 }
      }
      const path = snapshotPath(what.path, 'path')
      const text = snapshot.files.get(path)
      const name = path.split('/').at(-1) || place.username
      if (text !== undefined) {
        reads.set(readId, { left: text })
        return { filename: name, sizeBytes: text.length }
      }
      if (![...snapshot.files.keys()].some((file) => path === '' || file.startsWith(`${path}/`)))
        throw notFound(`There is no ${path} in it.`)
      reads.set(readId, { left: 'tar.gz' })
      return { filename: `${name}.tar.gz`, sizeBytes: null }
    },
    async read({ readId }) {
      const read = reads.get(readId)
      if (read === undefined) throw notFound('It is not open. Begin again.')
      const bytes = new TextEncoder().encode(read.left)
      read.left = ''
      return { content: btoa(String.fromCharCode(...bytes)) }
    },
    async close({ readId }) {
      reads.delete(readId)
    },
    async destroy(place) {
      if (place.location === '') throw invalid('location', 'location is missing.')
      rowsAt(place)
      port.repositories.delete(at(place))
    },
  }
  return port
}
