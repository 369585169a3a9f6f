import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  BackupFacts,
  BackupProgress,
  BackupWork,
  BackupsPort,
} from '#handlers/ports/host/backups/backups.ts'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'

/** A port with two accounts and one database of the first, and no configured target. */
export interface BackupsPortSubject {
  backups: BackupsPort
  username: string
  otherUsername: string
  database: string
  dispose(): Promise<void>
}

/** What every implementation of `BackupsPort` keeps to. */
export const backupsPortContract = (
  label: string,
  create: () => Promise<BackupsPortSubject>,
): void => {
  describe(`BackupsPort: ${label}`, () => {
    let subject: BackupsPortSubject
    let facts: BackupFacts
    let serial = 0
    const operationId = (): string => `backups-contract-${(serial += 1)}`
    const named = (username = subject.username) => ({
      username,
      filename: `${username}-20260102-030405.tar.gz`,
    })
    const known = () => ({ ...named(), location: 'local' })

    const finish = async (work: BackupWork): Promise<BackupProgress> => {
      await subject.backups.start(work)
      for (;;) {
        const progress = await subject.backups.wait({ operationId: work.operationId })
        if (progress.state !== 'running') return progress
      }
    }

    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    it('makes a backup, once per operation', async () => {
      const work: BackupWork = {
        operationId: operationId(),
        kind: 'create',
        ...named(),
        ...newRecord(subject.username),
      }
      const progress = await finish(work)
      expect(progress).toMatchObject({ state: 'done', percent: 100, error: null })
      facts = progress.result as BackupFacts
      expect(facts.databases).toEqual([{ engine: 'mariadb', database: subject.database }])
      expect(facts.sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(facts.sizeBytes).toBeGreaterThan(0)
      expect(await finish(work)).toEqual(progress)
      const again = { ...work, operationId: operationId() }
      expect((await finish(again)).error?.status).toBe(409)
    })

    it('reads all of it and nothing behind its end', async () => {
      const bytes: number[] = []
      for (;;) {
        const { content } = await subject.backups.read({ ...known(), offset: bytes.length })
        if (content === '') break
        for (const char of atob(content)) bytes.push(char.charCodeAt(0))
      }
      expect(bytes).toHaveLength(facts.sizeBytes)
    })

    it('restores it, and refuses another checksum', async () => {
      for (const what of ['all', 'files', 'databases'] as const) {
        const work = { operationId: operationId(), kind: 'restore' as const, ...known() }
        const parts = restoreParts({ what })
        expect(await finish({ ...work, parts, ...facts })).toMatchObject({
          state: 'done',
          error: null,
        })
      }
      const work = { operationId: operationId(), kind: 'restore' as const, ...known(), ...facts }
      const wrong = { ...work, parts: restoreParts({}), sha256: '0'.repeat(64) }
      expect((await finish(wrong)).error?.status).toBe(409)
    })

    it('refuses names of another account, unknown accounts, files and targets', async () => {
      const other = named(subject.otherUsername)
      const foreign = { ...known(), filename: other.filename }
      await expect(subject.backups.remove(foreign)).rejects.toMatchObject({ status: 400 })
      await expect(subject.backups.read({ ...foreign, offset: 0 })).rejects.toMatchObject({
        status: 400,
      })
      const start = {
        operationId: operationId(),
        kind: 'create' as const,
        ...newRecord(subject.username),
      }
      await expect(
        subject.backups.start({ ...start, ...named(), filename: other.filename }),
      ).rejects.toMatchObject({ status: 400 })
      expect((await finish({ ...start, ...named('btnobody0') })).error?.status).toBe(404)
      const away = { ...other, location: 'local' }
      await expect(subject.backups.read({ ...away, offset: 0 })).rejects.toMatchObject({
        status: 404,
      })
      const upload = { operationId: operationId(), kind: 'upload' as const, ...known(), ...facts }
      expect((await finish({ ...upload, location: 'nowhere' })).error?.status).toBe(404)
    })

    it('knows no work of before a restart, and has no target', async () => {
      const progress = await subject.backups.wait({ operationId: 'never-begun' })
      expect(progress).toMatchObject({ state: 'unknown', result: null })
      expect(await subject.backups.targets()).toEqual([])
    })

    it('removes it, also when it is gone', async () => {
      await subject.backups.remove(known())
      await subject.backups.remove(known())
      await expect(subject.backups.read({ ...known(), offset: 0 })).rejects.toMatchObject({
        status: 404,
      })
    })
  })
}
