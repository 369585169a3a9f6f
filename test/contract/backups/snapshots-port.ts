import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type {
  SnapshotFacts,
  SnapshotResult,
  SnapshotWork,
  SnapshotsPort,
} from '#handlers/ports/host/backups/snapshots.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'

/**
 * A port with an account that has a database and, in its home, `public_html/index.html`
 * (`<h1>hello</h1>`) and `public_html/ä.txt`, and no configured target.
 */
export interface SnapshotsPortSubject {
  snapshots: SnapshotsPort
  username: string
  database: string
  /** A place for repositories. */
  location: string
  dispose(): Promise<void>
}

const UNKNOWN_ID = 'f'.repeat(64)

/** What every implementation of `SnapshotsPort` keeps to. */
export const snapshotsPortContract = (
  label: string,
  create: () => Promise<SnapshotsPortSubject>,
): void => {
  describe(`SnapshotsPort: ${label}`, () => {
    let subject: SnapshotsPortSubject
    let first: SnapshotFacts
    let serial = 0
    const suite = label.replaceAll(/[^a-z]+/gi, '-')
    const operationId = (): string => `snapshots-contract-${suite}-${(serial += 1)}`
    const place = () => ({ username: subject.username, location: subject.location })

    type Order = SnapshotWork extends infer W
      ? W extends SnapshotWork
        ? Omit<W, 'operationId' | 'username' | 'location'>
        : never
      : never
    const finish = async (work: SnapshotWork): Promise<BackupProgress<SnapshotResult>> => {
      await subject.snapshots.start(work)
      for (;;) {
        const progress = await subject.snapshots.wait({ operationId: work.operationId })
        if (progress.state !== 'running') return progress
      }
    }
    const order = (work: Order, more: Partial<SnapshotWork> = {}): SnapshotWork =>
      ({ ...place(), operationId: operationId(), ...work, ...more }) as SnapshotWork
    const done = async (work: SnapshotWork): Promise<SnapshotResult> => {
      const progress = await finish(work)
      expect(progress.error).toBeNull()
      expect(progress).toMatchObject({ state: 'done', percent: 100 })
      return progress.result as SnapshotResult
    }
    const make = async (scheduled = true): Promise<SnapshotFacts> => {
      const record = newRecord(subject.username)
      const result = await done(order({ kind: 'snapshot', scheduled, ...record }))
      if (result.kind !== 'snapshot') throw new Error('not the facts of a snapshot')
      return result.snapshot
    }
    const statusOf = async (work: SnapshotWork): Promise<number | undefined> =>
      (await finish(work)).error?.status
    const content = async (what: Parameters<SnapshotsPort['open']>[0]['what']) => {
      const readId = operationId()
      const opened = await subject.snapshots.open({
        ...place(),
        readId,
        snapshotId: first.id,
        what,
      })
      let text = ''
      for (;;) {
        const part = await subject.snapshots.read({ readId })
        if (part.content === '') break
        text += atob(part.content)
      }
      await subject.snapshots.close({ readId })
      return { ...opened, text }
    }

    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    it('has an engine, and no snapshots where there is no repository', async () => {
      expect((await subject.snapshots.engine()).version).toMatch(/^\d+\.\d+\.\d+$/)
      expect(await subject.snapshots.list(place())).toEqual([])
      expect(await statusOf(order({ kind: 'check', share: { nth: 1, of: 1 } }))).toBe(404)
    })

    it('makes a snapshot, once per operation, and lists it', async () => {
      const work = order({ kind: 'snapshot', scheduled: false, ...newRecord(subject.username) })
      const result = await done(work)
      if (result.kind !== 'snapshot') throw new Error('not the facts of a snapshot')
      first = result.snapshot
      expect(first).toMatchObject({
        scheduled: false,
        databases: [{ engine: 'mariadb', database: subject.database }],
        unread: 0,
      })
      expect(first.id).toMatch(/^[0-9a-f]{64}$/)
      expect(first.files).toBeGreaterThan(1)
      expect(first.sizeBytes).toBeGreaterThan(0)
      expect(await done(work)).toEqual(result)
      expect(await subject.snapshots.list(place())).toEqual([first])
    })

    it('browses it, folder by folder', async () => {
      const folder = { ...place(), snapshotId: first.id }
      const home = await subject.snapshots.browse({ ...folder, directory: '', offset: 0 })
      expect(home.entries.map(({ path }) => path)).toContain('public_html')
      const inside = { ...folder, directory: 'public_html' }
      const { entries, total } = await subject.snapshots.browse({ ...inside, offset: 0 })
      expect(total).toBe(entries.length)
      expect(entries.find(({ path }) => path === 'public_html/index.html')).toMatchObject({
        type: 'file',
        sizeBytes: 14,
        mode: '644',
      })
      expect((await subject.snapshots.browse({ ...inside, offset: 1 })).entries).toEqual(
        entries.slice(1),
      )
      for (const directory of ['nowhere', 'public_html/index.html/x'])
        await expect(
          subject.snapshots.browse({ ...folder, directory, offset: 0 }),
        ).rejects.toMatchObject({ status: 404 })
      await expect(
        subject.snapshots.browse({ ...folder, directory: '../other', offset: 0 }),
      ).rejects.toMatchObject({ status: 400 })
    })

    it('reads a file, a folder and a dump', async () => {
      expect(await content({ path: 'public_html/index.html' })).toEqual({
        filename: 'index.html',
        sizeBytes: 14,
        text: '<h1>hello</h1>',
      })
      const folder = await content({ path: 'public_html' })
      expect(folder).toMatchObject({ filename: 'public_html.tar.gz', sizeBytes: null })
      const database = { engine: 'mariadb' as const, database: subject.database }
      const dump = await content({ database })
      expect(dump.filename).toBe(`mariadb-${subject.database}.sql`)
      expect(dump.sizeBytes).toBe(dump.text.length)
      await expect(content({ path: 'nowhere' })).rejects.toMatchObject({ status: 404 })
      await expect(content({ path: '../x' })).rejects.toMatchObject({ status: 400 })
      await expect(
        content({ database: { ...database, database: 'other_shop' } }),
      ).rejects.toMatchObject({ status: 404 })
      await expect(subject.snapshots.read({ readId: 'never' })).rejects.toMatchObject({
        status: 404,
      })
    })

    it('restores it, checks its repository and tries it', async () => {
      const parts = { files: 'all', databases: 'all' } as const
      expect(await done(order({ kind: 'restore', snapshotId: first.id, parts }))).toEqual({
        kind: 'restore',
      })
      const check = await done(order({ kind: 'check', share: { nth: 1, of: 1 } }))
      expect(check).toMatchObject({ kind: 'check', seconds: expect.any(Number) as number })
      const trial = await done(order({ kind: 'trial', snapshotId: first.id }))
      if (trial.kind !== 'trial') throw new Error('not the facts of a trial')
      expect(trial.files).toBe(first.files)
      expect(trial.databases).toMatchObject([{ engine: 'mariadb', database: subject.database }])
    })

    it('removes those that are named, and no other', async () => {
      const [older, newer] = [await make(), await make()]
      const both = await done(order({ kind: 'remove', snapshotIds: [older.id] }))
      expect(both).toEqual({ kind: 'remove', removed: [older.id] })
      expect((await subject.snapshots.list(place())).map(({ id }) => id)).toEqual([
        newer.id,
        first.id,
      ])
      const removed = await done(order({ kind: 'remove', snapshotIds: [newer.id, UNKNOWN_ID] }))
      expect(removed).toEqual({ kind: 'remove', removed: [newer.id] })
      expect(await subject.snapshots.list(place())).toEqual([first])
    })

    it('refuses unknown accounts, snapshots and places', async () => {
      const record = newRecord('btnobody0')
      const nobody = { username: 'btnobody0' }
      const snapshot = { kind: 'snapshot', scheduled: false, ...record } as const
      expect(await statusOf(order(snapshot, nobody))).toBe(404)
      expect(await statusOf(order({ kind: 'trial', snapshotId: UNKNOWN_ID }))).toBe(404)
      const parts = { files: 'all', databases: 'all' } as const
      expect(await statusOf(order({ kind: 'restore', snapshotId: UNKNOWN_ID, parts }))).toBe(404)
      const away = { ...place(), location: 'nowhere' }
      await expect(subject.snapshots.list(away)).rejects.toMatchObject({ status: 404 })
      expect(await statusOf(order(snapshot, { location: 'nowhere' }))).toBe(404)
      const unknown = { ...place(), snapshotId: UNKNOWN_ID, directory: '', offset: 0 }
      await expect(subject.snapshots.browse(unknown)).rejects.toMatchObject({ status: 404 })
    })

    it('knows no work of before a restart, and stops none', async () => {
      const never = { operationId: 'never-begun' }
      expect(await subject.snapshots.wait(never)).toMatchObject({ state: 'unknown', result: null })
      await subject.snapshots.stop(never)
    })

    it('destroys the repository, also when it is gone', async () => {
      await subject.snapshots.destroy(place())
      await subject.snapshots.destroy(place())
      expect(await subject.snapshots.list(place())).toEqual([])
    })
  })
}
