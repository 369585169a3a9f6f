import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImportProgress } from '#handlers/ports/host/backups/imports.ts'
import { PAGE } from '#test/support/foreign-archives/account-of.ts'
import { cpanelArchive } from '#test/support/foreign-archives/cpanel-archive.ts'
import { directadminArchive } from '#test/support/foreign-archives/directadmin-archive.ts'
import { hestiaArchive } from '#test/support/foreign-archives/hestia-archive.ts'
import { tarOf } from '#test/support/foreign-archives/tar-of.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { createBackupFixture, PASSWORD } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
let dropped = ''
beforeAll(async () => {
  host = await createBackupFixture()
  dropped = path.join(host.directory, 'dropped')
  await mkdir(dropped, { mode: 0o700 })
})
afterAll(async () => {
  await host?.dispose()
})

/** As MySQL and MariaDB keep it in `mysql_native_password`. */
const nativeHash = (password: string): string => {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}

let serial = 0
const follow = async (importId: string, step: 'open' | 'fill'): Promise<ImportProgress> => {
  for (;;) {
    const progress = await host.backups.imports.wait({ importId, step })
    if (progress.state !== 'running') return progress
  }
}
const open = async (archive: Buffer) => {
  const importId = `foreign-${process.pid}-${(serial += 1)}`
  const file = path.join(dropped, `${importId}.tar`)
  await writeFile(file, archive, { mode: 0o600 })
  await host.backups.imports.open({ importId, source: { kind: 'file', path: file } })
  return { importId, ...(await follow(importId, 'open')) }
}

describe.each([
  ['HestiaCP', hestiaArchive, 'web/shop.example/public_html/index.php'],
  ['cPanel', cpanelArchive, 'public_html/index.php'],
  ['DirectAdmin', directadminArchive, 'domains/shop.example/public_html/index.php'],
])('an archive of %s', (panel, archive, page) => {
  it('fills an account: files, tables, and the password of its database', async () => {
    const certificate = { ...makeCertificate({ names: ['shop.example'] }), chain: '' }
    const user = await host.account()
    const database = await host.database(user, 'shop')
    const { importId, result, error } = await open(
      await archive({ username: 'shop', hash: nativeHash(PASSWORD), certificate }),
    )
    expect(error).toBeNull()
    expect(result).toMatchObject({
      ...{ madeBy: panel, username: 'shop', proof: 'unproved', hasSecrets: true },
      databases: [{ engine: 'mariadb', database: 'shop_shop', hasPassword: true }],
    })
    expect(result?.report).toContainEqual({
      what: 'taken',
      subject: 'domain shop.example',
      reason: '',
    })
    const databases = [{ engine: 'mariadb', from: 'shop_shop', to: database } as const]
    await host.databases.setPassword({
      operationId: host.operationId(),
      username: user.username,
      ...{ engine: 'mariadb', database, user: database, password: 'another password' },
    })
    const { imports } = host.backups
    await imports.fill({ importId, username: user.username, databases })
    expect(await follow(importId, 'fill')).toMatchObject({ state: 'done', error: null })
    expect(await host.shell(user, `cat ${page}`)).toBe(PAGE)
    const taken = { importId, username: user.username, databases, users: [], system: true }
    expect(await imports.takePasswords(taken)).toBeNull()
    expect(await host.query(database, 'SELECT id FROM orders')).toEqual([{ id: 1 }, { id: 2 }])
    await imports.close({ importId })
  })
})

it('refuses what is no archive of an account', async () => {
  const { state, error } = await open(await tarOf({ 'a/b': 'c' }))
  expect(state).toBe('failed')
  expect(error).toMatchObject({
    status: 409,
    message: expect.stringContaining('HestiaCP, VestaCP, cPanel or DirectAdmin') as string,
  })
})
