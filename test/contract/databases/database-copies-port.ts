import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatabaseCopiesPort, DatabaseCopyWork } from '#handlers/ports/host/database-copies.ts'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'

/** A port with two accounts and one database of the first. */
export interface DatabaseCopiesSubject {
  copies: DatabaseCopiesPort
  username: string
  otherUsername: string
  engine: DatabaseEngine
  database: string
  /** Puts a file into the home of the account. */
  put(path: string, content: string): Promise<void>
  dispose(): Promise<void>
}

/** What every implementation of `DatabaseCopiesPort` keeps to. */
export const databaseCopiesContract = (
  label: string,
  create: () => Promise<DatabaseCopiesSubject>,
): void => {
  describe(`DatabaseCopiesPort: ${label}`, () => {
    let subject: DatabaseCopiesSubject
    let serial = 0
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    const named = () => ({
      operationId: `copies-contract-${(serial += 1)}`,
      username: subject.username,
      engine: subject.engine,
      database: subject.database,
    })
    const finish = async (work: DatabaseCopyWork) => {
      await subject.copies.start(work)
      for (;;) {
        const progress = await subject.copies.wait({ operationId: work.operationId })
        if (progress.state !== 'running') return progress
      }
    }
    const contentOf = async (username: string, filename: string): Promise<string> => {
      const parts: Buffer[] = []
      for (let offset = 0; ;) {
        const { content } = await subject.copies.read({ username, filename, offset })
        const bytes = Buffer.from(content, 'base64')
        if (bytes.length === 0) return Buffer.concat(parts).toString()
        parts.push(bytes)
        offset += bytes.length
      }
    }

    it('exports once per operation, lists, reads and removes', async () => {
      const { copies, username, database, engine } = subject
      const work = { ...named(), kind: 'export', format: 'sql' } as const
      const done = await finish(work)
      expect(done).toMatchObject({ state: 'done', error: null })
      expect(done.result).toMatchObject({ engine, database })
      expect(await finish(work)).toEqual(done)
      expect(await copies.exports({ username })).toEqual([done.result])
      const { filename = '', sizeBytes } = done.result ?? {}
      expect(Buffer.byteLength(await contentOf(username, filename))).toBe(sizeBytes)
      await copies.remove({ username, filename })
      await copies.remove({ username, filename })
      expect(await copies.exports({ username })).toEqual([])
      await expect(copies.read({ username, filename, offset: 0 })).rejects.toMatchObject({
        status: 404,
      })
    })

    it("knows no other account's database and export", async () => {
      const { copies, otherUsername } = subject
      const done = await finish({ ...named(), kind: 'export', format: 'gz' })
      const { filename = '' } = done.result ?? {}
      await expect(
        copies.read({ username: otherUsername, filename, offset: 0 }),
      ).rejects.toMatchObject({ status: 404 })
      await copies.remove({ username: otherUsername, filename })
      expect(await copies.exports({ username: otherUsername })).toEqual([])
      expect(await copies.exports({ username: subject.username })).toHaveLength(1)
      const foreign = { ...named(), username: otherUsername }
      expect(await finish({ ...foreign, kind: 'export', format: 'sql' })).toMatchObject({
        state: 'failed',
        error: { status: 404 },
      })
      expect(await finish({ ...foreign, kind: 'import', path: 'dump.sql' })).toMatchObject({
        state: 'failed',
        error: { status: 404 },
      })
    })

    it('imports a file of the home; a missing or empty one changes nothing', async () => {
      await subject.put('dump.sql', 'CREATE TABLE a (b int);\nINSERT INTO a VALUES (1);\n')
      await subject.put('empty.sql', '')
      expect(await finish({ ...named(), kind: 'import', path: 'dump.sql' })).toMatchObject({
        state: 'done',
        error: null,
      })
      for (const [path, status] of [
        ['missing.sql', 404],
        ['empty.sql', 409],
      ] as const)
        expect(await finish({ ...named(), kind: 'import', path })).toMatchObject({
          state: 'failed',
          error: { status },
        })
      expect(await subject.copies.wait({ operationId: 'never-begun' })).toMatchObject({
        state: 'unknown',
      })
    })
  })
}
