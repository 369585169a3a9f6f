import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { destroyMachine } from '#test/support/recovery/destroy-machine.ts'
import { s3TargetSettings, startS3Server, type S3Server } from '#test/support/recovery/s3-server.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from './support/run-berth.ts'

const PASSWORD = 'long enough 1'
const CRON = '/var/spool/cron/crontabs'

let instance: Instance
let panel: PanelClient
let tenant: Tenant
let berth: Berth
/** Elsewhere: what outlives the machine. */
let elsewhere: string
let database = ''
let s3: S3Server
let plainConfig = ''

const query = async (sql: string): Promise<unknown> => {
  const connection = await mysql.createConnection({
    socketPath: join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: database,
    password: PASSWORD,
    database,
    multipleStatements: true,
  })
  try {
    return (await connection.query(sql))[0]
  } finally {
    await connection.end()
  }
}
const shadowOf = (username: string): string =>
  readFileSync('/etc/shadow', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${username}:`)) ?? ''
const hashesBelow = async (directory: string): Promise<string> => {
  const { stdout } = await runCommand('/usr/bin/find', [
    ...[directory, '-type', 'f', '-not', '-path', '*/logs/*'],
    ...['-exec', 'sha256sum', '--', '{}', '+'],
  ])
  return stdout.split('\n').sort().join('\n')
}
const rows = () => query('SELECT n, word FROM things ORDER BY n')

/** Facts that must be the same on the machine that takes over. */
const before = { hashes: '', rows: [] as unknown, shadow: '', uid: 0, secret: '' }

beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'berth-elsewhere-'))
  s3 = await startS3Server()
  instance = await startInstance({
    settings: { server: 'workers = 1' },
    files: { 's3.key': s3.secretKey },
    append: s3TargetSettings(s3, 's3.key'),
  })
  const { file, paths } = instance.config
  berth = new Berth('--config', file)
  panel = new PanelClient(instance)
  await panel.setup()
  tenant = await Tenant.create(panel)
  await tenant.put('public_html/hello.txt', 'hello from A')
  await tenant.put('public_html/deep.bin', 'x'.repeat(200_000))
  const made = await panel.data<{ database: string }>('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'shop',
    db_password: PASSWORD,
    engine: 'mariadb',
  })
  database = made.database
  await query(
    'CREATE TABLE things (n INT PRIMARY KEY, word VARCHAR(20)); INSERT INTO things SELECT seq, CONCAT("w", seq) FROM seq_1_to_300',
  )
  mkdirSync(CRON, { recursive: true })
  writeFileSync(join(CRON, tenant.username), '5 4 * * * /bin/true\n', { mode: 0o600 })
  const hook = join(dirname(file), 'hooks.d/account.created/10-tell')
  mkdirSync(dirname(hook), { recursive: true, mode: 0o755 })
  writeFileSync(hook, '#!/bin/sh\n', { mode: 0o755 })
  plainConfig = readFileSync(file, 'utf8')
  mkdirSync(join(dirname(file), 'hand'))
  writeFileSync(
    file,
    `${plainConfig}\n[[virtualhost]]\ndomain = "hand.example"\nroot = "hand"\n\n[backups]\nretention_days = 9\n`,
  )
  await panel.data('POST', `/api/backups/accounts/${tenant.id}`)
  before.hashes = await hashesBelow(join(tenant.home, 'public_html'))
  before.rows = await rows()
  before.shadow = shadowOf(tenant.username)
  before.uid = statSync(tenant.home).uid
  before.secret = readFileSync(join(paths.secrets_dir, 'panel-jwt.key'), 'utf8')
}, 180_000)
afterAll(async () => {
  await instance?.stop()
  await s3?.dispose()
  rmSync(elsewhere, { recursive: true, force: true })
})

const kit = (): string => join(elsewhere, 'kit.txt')
const exported = (): string => join(elsewhere, 'panel.age')

test('berth panel recovery-kit makes keys once, and tries what was kept', async () => {
  const none = await berth.run('panel recovery-kit', ['--verify', '-'], { input: 'nothing' })
  expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/no whole recovery kit/)])
  expect(await berth.ok('panel recovery-kit', [kit()])).toMatch(/Print it/)
  expect(statSync(kit()).mode & 0o777).toBe(0o600)
  const text = readFileSync(kit(), 'utf8')
  expect(text).toMatch(/AGE-SECRET-KEY-1[A-Z0-9]+\n/)
  for (const what of ['archive', 'snapshot']) {
    const file = join(instance.config.paths.state_dir, 'agent', `${what}-keys`, 'own.key')
    expect(text).toContain(readFileSync(file, 'utf8').trim())
  }
  expect((await berth.run('panel recovery-kit')).stderr).toMatch(/was made at/)
  expect(await berth.ok('panel recovery-kit', ['--verify', kit()])).toMatch(/opens what/)
  const typed = text.replace(
    /AGE-SECRET-KEY-1(.)/,
    (_, one: string) => `AGE-SECRET-KEY-1${one === 'Q' ? 'P' : 'Q'}`,
  )
  const wrong = await berth.run('panel recovery-kit', ['--verify', '-'], { input: typed })
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/mistake|another panel/)])
  const other = await berth.ok('panel recovery-kit', ['--new'])
  expect((await berth.run('panel recovery-kit', ['--verify', kit()])).stderr).toMatch(/earlier one/)
  writeFileSync(kit(), other)
  expect(await berth.json('panel recovery-kit', ['--verify', kit()])).toMatchObject({
    missing_targets: [],
  })
})

test('berth panel export is for root, beside a running panel, and leaves nothing half', async () => {
  expect(await berth.json('panel export', [exported()])).toMatchObject({
    accounts: 1,
    left_out: [],
  })
  expect(statSync(exported()).mode & 0o777).toBe(0o600)
  expect((await berth.run('panel export', [exported()])).stderr).toMatch(/exists already/)
  const phrase = join(elsewhere, 'passphrase')
  writeFileSync(phrase, 'five random words of mine\n')
  await berth.ok('panel export', [join(elsewhere, 'p.age'), '--passphrase-file', phrase])
  const short = await berth.run('panel export', [join(elsewhere, 'q.age'), '--passphrase'], {
    input: 'short\n',
  })
  expect(short.stderr).toMatch(/too short/)
  const odd = await berth.run('panel export', [join(elsewhere, 'q.age'), '--recipient', 'age1no'])
  expect(odd.code).toBe(1)
  const list = (await runCommand('/usr/bin/ls', ['-A', elsewhere])).stdout.split('\n')
  expect(list.filter((name) => name.includes('q.age'))).toEqual([])
  const text = readFileSync(exported(), 'latin1')
  expect(text).not.toContain(before.secret.trim())
}, 240_000)

test('berth panel import refuses a machine with accounts, and other kits', async () => {
  await instance.stop({ keep: true })
  const full = await berth.run('panel import', [exported(), '--kit', kit()])
  expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/import on an empty one/)])
  const wrong = await berth.run('panel import', [join(elsewhere, 'p.age'), '--passphrase'], {
    input: 'not this one at all\n',
  })
  expect(wrong.stderr).toMatch(/does not open/)
  expect(existsSync(join(instance.config.paths.state_dir, 'not-live.json'))).toBe(false)

  // On a machine that hosts, its sites go on.
  await berth.ok('service start')
  const served = await berth.run('panel import', [exported(), '--kit', kit()])
  expect([served.code, served.stderr]).toEqual([1, expect.stringMatching(/runs again as before/)])
  expect((await berth.run('service status')).code).toBe(0)
  await berth.ok('service stop')
  await instance.startAgain()
}, 240_000)

test('what is lost comes back: the panel from its export, the content from the copy at a target', async () => {
  const { paths, file } = instance.config
  // The panel that was exported knows nothing of this backup; what lies at the target tells.
  await tenant.put('public_html/late.txt', 'written after the export')
  await panel.data('POST', `/api/backups/accounts/${tenant.id}`)
  before.hashes = await hashesBelow(join(tenant.home, 'public_html'))
  await destroyMachine(instance)
  expect(shadowOf(tenant.username)).toBe('')
  writeFileSync(file, plainConfig)

  const report = await berth.json<{ skipped: string[] }>('panel import', [
    exported(),
    '--kit',
    kit(),
  ])
  expect(report).toMatchObject({
    accounts: [tenant.username],
    domains: [tenant.domain],
    skipped: [],
  })
  expect(shadowOf(tenant.username).split(':').slice(0, 2)).toEqual(
    before.shadow.split(':').slice(0, 2),
  )
  expect(statSync(tenant.home).uid).toBe(before.uid)
  expect(readFileSync(join(paths.secrets_dir, 'panel-jwt.key'), 'utf8')).toBe(before.secret)
  expect(existsSync(join(paths.state_dir, 'recovery', 'import'))).toBe(false)

  expect(await berth.ok('panel recovery-kit', ['--verify', kit()])).toMatch(/opens what/)

  await instance.startAgain()
  // The session of before: the key that signs them came along.
  expect((await panel.call('GET', '/api/auth/me')).status).toBe(200)
  const login = { username: tenant.username, password: tenant.password }
  expect((await panel.call('POST', '/api/auth/login', login, null)).status).toBe(200)

  expect(await berth.ok('backups restored')).toMatch(/waiting/)
  const { accounts } = await berth.json<{ accounts: object[] }>('backups restore-all', [
    '--from',
    'offsite',
  ])
  expect(accounts).toEqual([
    expect.objectContaining({
      username: tenant.username,
      state: 'done',
      location: 'offsite',
      databases: 1,
      domains: 1,
      notes: [],
    }),
  ])
  expect(await berth.ok('backups restore-all', ['--at-once', '4'])).toMatch(/done.*offsite/)
  expect(await hashesBelow(join(tenant.home, 'public_html'))).toBe(before.hashes)
  expect(await rows()).toEqual(before.rows)
  expect((await instance.site(tenant.domain, '/hello.txt')).text).toBe('hello from A')
}, 300_000)

test('hooks and hosts by hand wait for berth panel confirm, cron for berth panel live', async () => {
  const { file, paths } = instance.config
  const directory = dirname(file)
  expect(readFileSync(file, 'utf8')).toMatch(/#off# domain = "hand.example"/)
  expect(readFileSync(file, 'utf8')).toMatch(/^retention_days = 9$/m)
  expect(existsSync(join(directory, 'hooks.d'))).toBe(false)
  expect(existsSync(join(CRON, tenant.username))).toBe(false)
  expect(await berth.json('panel confirm')).toMatchObject({
    hooks: [join(directory, 'hooks.d.off/account.created/10-tell')],
    hosts: [{ file, count: 1 }],
  })
  await berth.ok('panel confirm', ['hooks'])
  await berth.ok('panel confirm', ['hosts'])
  expect(readFileSync(file, 'utf8')).toMatch(/^domain = "hand.example"$/m)
  expect(existsSync(join(directory, 'hooks.d/account.created/10-tell'))).toBe(true)
  expect(existsSync(join(paths.state_dir, 'not-live.json'))).toBe(true)
  expect(await berth.json('panel live')).toMatchObject({
    was_held: true,
    cron: [tenant.username],
    left: [],
    names: [{ domain: tenant.domain, here: false }],
  })
  expect(readFileSync(join(CRON, tenant.username), 'utf8')).toBe('5 4 * * * /bin/true\n')
  expect(statSync(join(CRON, tenant.username)).uid).toBe(before.uid)
  expect(existsSync(join(paths.state_dir, 'not-live.json'))).toBe(false)
  expect(await berth.ok('panel live')).toMatch(/already/)
})
