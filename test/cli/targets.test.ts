import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSftpServer } from '#test/node/backups/sftp-server.ts'
import { startS3Server } from '#test/support/recovery/s3-server.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { beginResident, Berth, endResident } from './support/run-berth.ts'

shareInstance({
  settings: { server: 'workers = 1' },
  append: '[backups]\nallow_local_targets = true\n',
})

let berth: Berth
let s3: Awaited<ReturnType<typeof startS3Server>>
let sftp: Awaited<ReturnType<typeof startSftpServer>>
let key = ''

beforeAll(beginResident)
afterAll(endResident)
beforeAll(async () => {
  berth = new Berth('--config', instance.config.file)
  s3 = await startS3Server('backups', true)
  sftp = await startSftpServer()
  key = join(temporaryDirectory('bkey-'), 'key')
  writeFileSync(key, `${s3.secretKey}\n`, { mode: 0o600 })
})
afterAll(async () => {
  berth?.remove()
  await sftp?.dispose()
  await s3?.dispose()
})

const targetsOf = (): Promise<Record<string, unknown>[]> => berth.json('targets list')

test('targets are added, tried and changed, and their secrets are in no answer', async () => {
  const add = [
    ...['offsite', '--type', 's3', '--endpoint', s3.endpoint, '--bucket', s3.bucket],
    ...['--access-key-id', s3.accessKeyId, '--region', 'us-east-1', '--path', 'host-1'],
  ]
  const none = await berth.run('targets add', add)
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--secret-key-file')])
  const far = await berth.run('targets add', [...add, '--secret-key-file', key])
  expect([far.code, far.stderr]).toEqual([1, expect.stringContaining('goes without TLS')])
  const near = [...add, '--allow-private', '--default']
  const wrong = await berth.run('targets add', [...near, '--secret-key-file', '-'], {
    input: 'another key\n',
  })
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('secret key')])
  expect(await berth.ok('targets add', [...near, '--secret-key-file', key])).toContain(
    'offsite was tried and set up.',
  )
  expect(await berth.ok('targets test', ['offsite'])).toBe('offsite works.\n')
  expect(await berth.ok('targets update', ['offsite', '--no-default'])).toContain('changed')
  const closed = await berth.run('targets update', ['offsite', '--no-allow-private'])
  expect([closed.code, closed.stderr]).toEqual([1, expect.stringContaining('goes without TLS')])
  expect((await berth.run('targets update', ['offsite'])).code).toBe(2)
  expect(await targetsOf()).toMatchObject([
    { name: 'offsite', source: 'panel', is_default: false, allow_private: true },
  ])
})

test('the key of an SFTP server is shown before it is taken', async () => {
  const add = [
    ...['box', '--type', 'sftp', '--endpoint', `127.0.0.1:${sftp.port}`, '--allow-private'],
    ...['--username', 'root', '--path', sftp.directory],
  ]
  const opens = ['--private-key-file', sftp.privateKeyFile]
  const asked = await berth.run('targets add', [...add, ...opens])
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringContaining(`--host-key ${sftp.fingerprint}`),
  ])
  const both = await berth.run('targets add', [...add, ...opens, '--password-file', key])
  expect(both.code).toBe(2)
  await berth.ok('targets add', [...add, ...opens, '--host-key', sftp.fingerprint])
  const privateKey = readFileSync(sftp.privateKeyFile, 'utf8').split('\n')[1] ?? ''
  expect(JSON.stringify(await targetsOf())).not.toContain(privateKey)
  const gone = await berth.run('targets remove', ['box'])
  expect(gone.code).toBe(2)
  await berth.ok('targets remove', ['box', '--yes'])
  expect((await targetsOf()).map(({ name }) => name)).toEqual(['offsite'])
})

test('what lies at a target is found there and made accounts of, several at once', async () => {
  const tenants = [await Tenant.create(panel), await Tenant.create(panel)]
  for (const tenant of tenants) {
    await tenant.put('public_html/first.txt', 'first')
    await berth.ok('backups create', [tenant.username, '--target', 'offsite'])
    await tenant.put('public_html/kept.txt', `kept by ${tenant.username}`)
    await berth.ok('backups create', [tenant.username, '--target', 'offsite'])
    await berth.ok('accounts delete', [tenant.username, '--yes'])
  }
  const [first, second] = tenants.map(({ username }) => username).sort()
  const found = await berth.json<{ filename: string; known: boolean }[]>('backups import', [
    'offsite',
  ])
  expect(found).toHaveLength(4)
  expect(found.every(({ known }) => known)).toBe(true)
  const one = `offsite/${found[0]?.filename}`
  expect(await berth.ok('backups import', [one, '--dry-run'])).toContain('made by this host')
  const held = await berth.run('targets remove', ['offsite', '--yes'])
  expect([held.code, held.stderr]).toEqual([1, expect.stringContaining('4 archives')])

  const out = await berth.ok('backups import', ['offsite', '--all', '--at-once', '2'])
  expect(out).toMatch(
    new RegExp(`${first}\\s+\\d+\\s+brought in[^]*${second}\\s+\\d+\\s+brought in`),
  )
  for (const tenant of tenants) {
    const path = join(instance.config.paths.home_base, tenant.username, 'public_html/kept.txt')
    expect(readFileSync(path, 'utf8')).toBe(`kept by ${tenant.username}`)
  }
  const again = await berth.run('backups import', ['offsite', '--all'])
  expect([again.code, again.stdout]).toEqual([1, expect.stringMatching(/FAILED[^]*FAILED/)])
  expect(again.stderr).toContain('already')
  for (const { username } of tenants) await berth.ok('accounts delete', [username, '--yes'])
  await berth.ok('targets remove', ['offsite', '--force', '--yes'])
  expect(await targetsOf()).toEqual([])
})
