import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configuredTarget } from '#adapters/node/agent/backups/targets/known-target.ts'
import { checkAddress, guardedLookup } from '#adapters/node/process/guarded-lookup.ts'
import { createS3Store } from '#adapters/node/agent/backups/remote/s3-store.ts'
import { restoreParts } from '#handlers/domain/backups/restore-parts.ts'
import type { RemoteTargetConfig } from '#handlers/domain/config/config-types.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'
import { startSftpServer } from './sftp-server.ts'

type S3rver = new (options: Record<string, unknown>) => {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}
const S3 = createRequire(import.meta.url)('@20minutes/s3rver') as S3rver

const BASE: RemoteTargetConfig = {
  name: '',
  type: 's3',
  endpoint: '',
  bucket: null,
  path: null,
  region: null,
  username: null,
  is_default: false,
  access_key_id: null,
  secret_key_file: null,
  password_file: null,
  private_key_file: null,
  host_key: null,
  allow_private: true,
}
const SECRET = 'S3RVER'

let host: BackupFixture
let directory = ''
let s3: InstanceType<S3rver>
let sftp: Awaited<ReturnType<typeof startSftpServer>>
let targets: RemoteTargetConfig[] = []
let endpoint = ''

beforeAll(async () => {
  directory = temporaryDirectory('bs3-')
  s3 = new S3({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'backups' }],
  })
  endpoint = `http://127.0.0.1:${(await s3.run()).port}`
  sftp = await startSftpServer()
  const secret = path.join(directory, 'secret')
  await writeFile(secret, `${SECRET}\n`, { mode: 0o600 })
  const bucket: RemoteTargetConfig = {
    ...BASE,
    name: 'bucket',
    endpoint,
    bucket: 'backups',
    path: 'berth/a b',
    access_key_id: 'S3RVER',
    secret_key_file: secret,
  }
  const box: RemoteTargetConfig = {
    ...BASE,
    name: 'box',
    type: 'sftp',
    endpoint: `127.0.0.1:${sftp.port}`,
    username: 'root',
    path: sftp.directory,
    private_key_file: sftp.privateKeyFile,
    host_key: sftp.fingerprint,
  }
  targets = [
    bucket,
    box,
    { ...bucket, name: 'bucket-near', allow_private: false },
    { ...box, name: 'box-near', allow_private: false },
    {
      ...bucket,
      name: 'bucket-name',
      endpoint: endpoint.replace('127.0.0.1', 'localhost'),
      allow_private: false,
    },
    { ...box, name: 'box-other', host_key: `SHA256:${'A'.repeat(43)}` },
    { ...bucket, name: 'bucket-wrong', secret_key_file: sftp.privateKeyFile },
  ]
  host = await createBackupFixture({ change: { targets: () => targets.map(configuredTarget) } })
})
afterAll(async () => {
  await host?.dispose()
  await sftp?.dispose()
  await s3?.close()
})

describe('remote targets', () => {
  it.each(['bucket', 'box'])(
    '%s takes a backup, gives it back, restores and removes it',
    async (location) => {
      const user = await host.account()
      const { username } = user
      const database = await host.database(user, 'shop')
      await host.query(database, 'CREATE TABLE a (b INT)')
      await host.shell(user, 'head -c 3000000 /dev/urandom > big; echo kept > kept.txt')
      const filename = host.nameOf(user)
      const facts = await host.create(user, filename)
      const known = { username, filename, location, ...facts }
      expect(await host.work({ kind: 'upload', ...known })).toMatchObject({ state: 'done' })
      await host.backups.remove({ username, filename, location: 'local' })
      await host.shell(user, 'rm big kept.txt')
      await host.query(database, 'DROP TABLE a')
      expect(
        await host.work({ kind: 'restore', parts: restoreParts({ what: 'all' }), ...known }),
      ).toMatchObject({
        state: 'done',
        error: null,
      })
      expect(await host.shell(user, 'cat kept.txt')).toBe('kept\n')
      expect((await stat(`${user.home}/big`)).size).toBe(3_000_000)
      expect(await host.query(database, 'SHOW TABLES')).toHaveLength(1)
      let have = 0
      for (;;) {
        const { content } = await host.backups.read({ username, filename, location, offset: have })
        const bytes = Buffer.from(content, 'base64').length
        if (bytes === 0) break
        have += bytes
      }
      expect(have).toBe(facts.sizeBytes)
      await host.backups.remove({ username, filename, location })
      await host.backups.remove({ username, filename, location })
      // It is this copy that is at fault: another one may do.
      for (const place of [location, 'local']) {
        const gone = await host.work({
          kind: 'restore',
          parts: restoreParts({ what: 'all' }),
          ...known,
          location: place,
        })
        expect(gone.error).toMatchObject({ status: 404, field: 'location' })
      }
    },
    60_000,
  )

  it.each(['bucket', 'box'])(
    'archives at %s that nobody here knows are found and brought in',
    async (location) => {
      const [user, other] = [await host.account(), await host.account()]
      await host.shell(user, 'echo kept > kept.txt')
      const filename = host.nameOf(user)
      const facts = await host.create(user, filename)
      const { username } = user
      await host.work({ kind: 'upload', username, filename, location, ...facts })
      await host.backups.remove({ username, filename, location: 'local' })
      const { imports } = host.backups
      expect(await imports.find({ target: location })).toEqual([
        { path: `${location}/${filename}`, filename, sizeBytes: facts.sizeBytes },
      ])
      await expect(imports.find({ target: 'nowhere' })).rejects.toMatchObject({ status: 404 })
      const opened = async (importId: string, name: string) => {
        const source = { kind: 'target' as const, target: location, filename: name }
        await imports.open({ importId, source })
        return followed(importId, 'open')
      }
      const followed = async (importId: string, step: 'open' | 'fill') => {
        for (;;) {
          const progress = await imports.wait({ importId, step })
          if (progress.state !== 'running') return progress
        }
      }
      const gone = await opened(`gone-${location}`, filename.replace('.tar.gz', '.tgz'))
      expect(gone.error).toMatchObject({ status: 404 })
      const importId = `from-${location}`
      expect(await opened(importId, filename)).toMatchObject({
        state: 'done',
        result: { sha256: facts.sha256, proof: 'own', username },
      })
      await imports.fill({ importId, username: other.username, databases: [] })
      expect(await followed(importId, 'fill')).toMatchObject({ state: 'done', error: null })
      expect(await host.shell(other, 'cat kept.txt')).toBe('kept\n')
      await imports.close({ importId })
      await host.backups.remove({ username, filename, location })
    },
    60_000,
  )

  it('large objects go in parts', async () => {
    const access = {
      endpoint,
      bucket: 'backups',
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: SECRET,
      reach: 'anywhere' as const,
    }
    const store = createS3Store('parts', access, '', 5 * 2 ** 20)
    const file = path.join(directory, 'large')
    const content = Buffer.alloc(12 * 2 ** 20, 'abc')
    await writeFile(file, content)
    await store.put('large', file, content.length)
    const chunks: Buffer[] = []
    for await (const chunk of (await store.open('large')) as Readable & AsyncIterable<Buffer>)
      chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(content)).toBe(true)
    await store.remove('large')
    await expect(store.open('large')).rejects.toMatchObject({ status: 404 })
  })

  it.each([
    ['bucket-near', /allow_private/],
    ['bucket-name', /allow_private/],
    ['box-near', /allow_private/],
    ['box-other', /another key/],
    ['bucket-wrong', /SignatureDoesNotMatch/],
    ['nowhere', /no backup target/],
  ])('%s is refused, and says why without a secret', async (location, why) => {
    const user = await host.account()
    const filename = host.nameOf(user)
    const facts = await host.create(user, filename)
    const work = { kind: 'upload' as const, username: user.username, filename, location, ...facts }
    const { error } = await host.work(work)
    expect(error?.message).toMatch(why)
    expect(JSON.stringify([error, host.logged])).not.toMatch(/PRIVATE KEY|b3BlbnNzaC1rZXk/)
    expect(existsSync(path.join(host.backupsDir, filename))).toBe(true)
  })

  it('are shown without their secrets', async () => {
    const shown = JSON.stringify(await host.backups.targets())
    expect(shown).toContain('"bucket":"backups"')
    expect(shown).toContain('"source":"configuration"')
    for (const hidden of ['secret', 'key_file', 'password', 'PRIVATE', directory])
      expect(shown).not.toContain(hidden)
  })

  it('addresses of this machine and its link are refused in every form', async () => {
    for (const address of [
      '127.0.0.1',
      '127.9.9.9',
      '169.254.169.254',
      '0.0.0.0',
      '::1',
      '::',
      'fe80::1',
      '::ffff:127.0.0.1',
      '::ffff:169.254.169.254',
      '64:ff9b::7f00:1',
      '::127.0.0.1',
      '224.0.0.1',
    ])
      expect(() => checkAddress(address), address).toThrow(/allow_private/)
    for (const address of ['10.1.2.3', '8.8.8.8', '2606:4700::1'])
      expect(() => checkAddress(address), address).not.toThrow()
    const outcome = await new Promise<Error | null>((resolve) =>
      guardedLookup(false)('localhost', { all: true }, (error) => resolve(error)),
    )
    expect(outcome?.message).toMatch(/allow_private/)
  })
})
