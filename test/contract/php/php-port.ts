import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PhpPort } from '#handlers/ports/host/php.ts'

/** A port with one account it knows; at least one PHP is installed. */
export interface PhpPortSubject {
  php: PhpPort
  username: string
  /** What the implementation recorded for the account. */
  recorded(username: string): Promise<{ version: string | null; mode: string }>
  dispose(): Promise<void>
}

/** What every implementation of `PhpPort` keeps to. */
export const phpPortContract = (label: string, create: () => Promise<PhpPortSubject>): void => {
  describe(`PhpPort: ${label}`, () => {
    let subject: PhpPortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(async () => {
      await subject.dispose()
    })

    it('lists versions with binaries and exactly one default', async () => {
      const versions = await subject.php.versions()
      expect(versions.length).toBeGreaterThan(0)
      for (const php of versions) {
        expect(php.version).toMatch(/^\d\.\d+$/)
        expect(php.binary).toMatch(/^\//)
        for (const sapi of php.sapis) expect(['cgi', 'fpm', 'lsapi']).toContain(sapi)
      }
      expect(versions.filter((php) => php.default)).toHaveLength(1)
    })

    it('records version and mode, also when the call is repeated', async () => {
      const [php] = await subject.php.versions()
      const call = {
        operationId: 'php-contract-1',
        username: subject.username,
        version: php?.version ?? '',
        mode: 'fpm' as const,
      }
      await subject.php.configure(call)
      await subject.php.configure(call)
      expect(await subject.recorded(subject.username)).toEqual({
        version: call.version,
        mode: 'fpm',
      })
    })

    it('lists what runs', async () => {
      for (const pool of await subject.php.pools()) {
        expect(pool.pid).toBeGreaterThan(1)
        expect(['cgi', 'fpm', 'lsapi']).toContain(pool.mode)
      }
    })

    it('runs a script in every mode that it has, as nobody and as an account', async () => {
      const [php] = await subject.php.versions()
      const version = php?.version ?? ''
      for (const username of [null, subject.username]) {
        for (const mode of php?.sapis ?? []) {
          const done = await subject.php.test({ username, version, mode })
          expect(done).toMatchObject({ version, mode, error: null })
          expect(done.phpVersion).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`))
          for (const ms of [done.startMs, done.firstMs, done.againMs]) expect(ms).toBeGreaterThan(0)
        }
      }
    })

    it('says what each PHP is and begins with', async () => {
      const [php] = await subject.php.versions()
      const version = php?.version ?? ''
      for (const mode of php?.sapis ?? []) {
        const facts = await subject.php.facts({ version, mode })
        expect(facts.version.startsWith(`${version}.`)).toBe(true)
        expect(facts.ini['memory_limit']).toMatch(/^\d+[KMG]?$/)
        expect(facts.server).toContain('memory_limit')
        expect(facts.extensions.map(({ name }) => name)).toContain('Core')
      }
      const unknown = subject.php.facts({ version: '1.0', mode: 'fpm' })
      await expect(unknown).rejects.toMatchObject({ status: 400, field: 'version' })
    })

    it('tests no version, mode and account that there is not', async () => {
      const [php] = await subject.php.versions()
      const good = { username: null, version: php?.version ?? '', mode: 'fpm' as const }
      await expect(subject.php.test({ ...good, version: '1.0' })).rejects.toMatchObject({
        status: 400,
        field: 'version',
      })
      await expect(subject.php.test({ ...good, mode: 'lsapi' })).rejects.toMatchObject({
        status: 400,
        field: 'mode',
      })
      await expect(subject.php.test({ ...good, username: 'btnobody0' })).rejects.toMatchObject({
        status: 404,
      })
    })

    it('refuses an unknown version, a mode it cannot run and an unknown account', async () => {
      const [php] = await subject.php.versions()
      const good = { username: subject.username, version: php?.version ?? '', mode: 'fpm' as const }
      await expect(
        subject.php.configure({ ...good, operationId: 'php-contract-2', version: '1.0' }),
      ).rejects.toMatchObject({ status: 400, field: 'version' })
      await expect(
        subject.php.configure({ ...good, operationId: 'php-contract-3', mode: 'lsapi' }),
      ).rejects.toMatchObject({ status: 400, field: 'mode' })
      await expect(
        subject.php.configure({ ...good, operationId: 'php-contract-4', username: 'btnobody0' }),
      ).rejects.toMatchObject({ status: 404 })
    })
  })
}
