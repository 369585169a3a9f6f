import { readFile, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KnownTarget } from '#adapters/node/agent/backups/targets/known-target.ts'
import { createSnapshotKeys } from '#adapters/node/agent/snapshots/repository/snapshot-keys.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { startSftpServer } from '#test/node/backups/sftp-server.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { createSnapshotFixture } from './snapshot-fixture.ts'
import type { SnapshotFixture } from './snapshot-fixture.ts'

type S3rver = new (options: Record<string, unknown>) => {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}
const S3 = createRequire(import.meta.url)('@20minutes/s3rver') as S3rver

const BASE: KnownTarget = {
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
  source: 'configuration',
  reach: 'anywhere',
}

let fixture: SnapshotFixture
let user: OsUser
let directory = ''
let s3: InstanceType<S3rver>
let sftp: Awaited<ReturnType<typeof startSftpServer>>
let targets: KnownTarget[] = []

beforeAll(async () => {
  directory = temporaryDirectory('bsnap-')
  s3 = new S3({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    // It takes the signature of a path that ends in a slash, as restic's of a bucket does, for another one.
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: 'backups' }],
  })
  const endpoint = `http://127.0.0.1:${(await s3.run()).port}`
  sftp = await startSftpServer()
  const secret = path.join(directory, 'secret')
  await writeFile(secret, 'S3RVER\n', { mode: 0o600 })
  const bucket: KnownTarget = {
    ...BASE,
    name: 'bucket',
    endpoint,
    bucket: 'backups',
    path: 'berth/a b',
    access_key_id: 'S3RVER',
    secret_key_file: secret,
  }
  const box: KnownTarget = {
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
    { ...bucket, name: 'bucket-near', allow_private: false, reach: 'elsewhere' },
    { ...box, name: 'box-near', allow_private: false, reach: 'elsewhere' },
    { ...box, name: 'box-other', host_key: `SHA256:${'A'.repeat(43)}` },
    { ...bucket, name: 'bucket-wrong', access_key_id: 'nobody' },
  ]
  fixture = await createSnapshotFixture({ targets: () => targets })
  user = await fixture.host.account()
  const html = "printf '<h1>hello</h1>' > public_html/index.html; chmod 644 public_html/index.html"
  await fixture.host.shell(user, `${html}; printf umlaut > public_html/ä.txt`)
})
afterAll(async () => {
  await fixture?.dispose()
  await sftp?.dispose()
  await s3?.close()
})

describe('snapshots at targets', () => {
  it.each(['bucket', 'box'])(
    '%s takes them, gives them back, thins and removes them',
    async (location) => {
      const { host, snapshots } = fixture
      const { username } = user
      const place = { username, location }
      expect(await snapshots.list(place)).toEqual([])
      const [first, second] = [
        await fixture.take(user, location, true),
        await fixture.take(user, location, true),
      ]
      expect(await snapshots.list(place)).toEqual([second, first])
      await host.shell(user, 'rm public_html/index.html; echo new > public_html/ä.txt')
      const parts = { files: ['public_html/index.html'], databases: 'none' } as const
      const restore = { kind: 'restore', snapshotId: first.id, parts } as const
      expect((await fixture.work(user, restore, location)).error).toBeNull()
      expect(await host.shell(user, 'cat public_html/index.html public_html/ä.txt')).toBe(
        '<h1>hello</h1>new\n',
      )
      const remove = { kind: 'remove', snapshotIds: [first.id] } as const
      expect((await fixture.work(user, remove, location)).result).toEqual({
        kind: 'remove',
        removed: [first.id],
      })
      await snapshots.destroy(place)
      expect(await snapshots.list(place)).toEqual([])
    },
    240_000,
  )

  it.each([
    ['bucket-near', 503, /address of this machine/],
    ['box-near', 503, /address of this machine/],
    ['box-other', 503, /another key/],
    ['bucket-wrong', 503, /restic failed at "bucket-wrong"/],
  ])('%s fails with its name, and never looks empty', async (location, status, message) => {
    const progress = await fixture.work(user, fixture.orderOf(user), location)
    expect(progress.error).toMatchObject({ status })
    expect(progress.error?.message).toMatch(message)
    expect(progress.error?.message).not.toContain('S3RVER')
    await expect(
      fixture.snapshots.list({ username: user.username, location }),
    ).rejects.toMatchObject({ status })
  })

  it('another host reads them with the key of the first, which lies beside its own, and leaves them', async () => {
    const { username } = user
    const { id } = await fixture.take(user, 'bucket')
    const other = path.join(directory, 'other-keys')
    const keys = createSnapshotKeys(other)
    await keys.all()
    await fixture.restart({ keys })
    const place = { username, location: 'bucket' }
    expect(await fixture.snapshots.list(place)).toEqual([])
    const own = await readFile(path.join(fixture.keysDirectory, 'own.key'))
    await writeFile(path.join(other, 'first-host.key'), own, { mode: 0o600 })
    expect((await fixture.snapshots.list(place)).map((one) => one.id)).toEqual([id])
    await fixture.snapshots.destroy(place)
    expect((await fixture.snapshots.list(place)).map((one) => one.id)).toEqual([id])
    await fixture.restart()
    await fixture.snapshots.destroy(place)
    expect(await fixture.snapshots.list(place)).toEqual([])
  })

  it('keys for ssh are gone when the work is', async () => {
    expect(await readdir(path.join(fixture.state, 'snapshot-work'))).toEqual([])
  })
})
