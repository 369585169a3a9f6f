import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '#test/cli/support/run-berth.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { acmeSettings, startPebble, type Pebble } from '#test/support/authority/pebble.ts'
import { destroyMachine } from '#test/support/recovery/destroy-machine.ts'
import { s3TargetSettings, startS3Server, type S3Server } from '#test/support/recovery/s3-server.ts'
import {
  certificateOf,
  filesOf,
  systemHashOf,
  tablesOf,
  type DrillDatabase,
} from './support/drill/fingerprints.ts'
import { furnish, RESELLER, type House } from './support/drill/furnish.ts'
import { settingsOf } from './support/drill/settings.ts'

const drill = (name: string, run: () => Promise<void>, timeoutMs = 120_000): void =>
  test(name, run, timeoutMs)

let pebble: Pebble
let s3: S3Server
let instance: Instance
let panel: PanelClient
let berth: Berth
let house: House
let elsewhere = ''
let listener: Server
/** Names of the events that the webhook was told. */
const told: string[] = []
let before: Awaited<ReturnType<typeof look>>
let orders = 0
let objects: string[] = []

const inhabitants = () => [house.blog, house.shop, house.closed]
/** By what it keeps: Pebble refuses some requests for their nonce, and they are made once more. */
const ordersSoFar = (): number => pebble.output().split(' orders in the db').length - 1
const objectsOf = (): string[] =>
  (readdirSync(s3.directory, { recursive: true }) as string[])
    .filter((name) => name.endsWith('_object'))
    .sort()
const pageOf = async ({ name, path, secure }: House['pages'][number]) => {
  const { status, text } = await instance.site(name, path, { secure })
  return { name, path, status, text }
}
/** The user of a suspended account's database may not log in. */
const openDatabases = (): DrillDatabase[] =>
  [house.blog, house.shop].flatMap((one) => one.databases)

/** Everything that must be the same. Pages come last, since visits change tables and counters. */
const look = async () => {
  const ids = inhabitants().map(({ tenant }) => tenant.id)
  return {
    uids: inhabitants().map(({ tenant }) => statSync(tenant.home).uid),
    files: Object.fromEntries(
      inhabitants().map(({ tenant }) => [tenant.username, filesOf(tenant.home)]),
    ),
    tables: Object.fromEntries(
      await Promise.all(
        openDatabases().map(async (one) => [one.database, await tablesOf(instance, one)] as const),
      ),
    ),
    hashes: inhabitants().map(({ tenant }) => systemHashOf(tenant.username)),
    resellers: (await panel.data<Record<string, unknown>[]>('GET', '/api/resellers')).map(
      // How full the accounts are is measured now and then.
      ({ disk_used_mb: _, ...one }) => one,
    ),
    certificates: await Promise.all(
      [house.blog, house.shop].map(({ tenant }) => certificateOf(instance, tenant.domain)),
    ),
    settings: await settingsOf(panel, ids),
    pages: await Promise.all(house.pages.map(pageOf)),
  }
}

beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'berth-elsewhere-'))
  listener = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      told.push((JSON.parse(text) as { event: string }).event)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  const [httpPort = 0] = await freePorts(1)
  pebble = await startPebble({ httpPort })
  s3 = await startS3Server()
  const { port } = listener.address() as AddressInfo
  instance = await startInstance({
    httpPort,
    settings: {
      server: 'workers = 1',
      databases: 'postgresql = "managed"',
      panel: acmeSettings({ directory: pebble.directory, caFile: 'pebble.pem' }),
    },
    files: {
      's3.key': s3.secretKey,
      'hook.secret': { text: 'a secret of the webhook', mode: 0o644 },
      'pebble.pem': { text: readFileSync(pebble.caFile, 'utf8'), mode: 0o644 },
    },
    append: `${s3TargetSettings(s3, 's3.key')}

[[webhook]]
name = "watch"
url = "http://127.0.0.1:${port}/"
secret_file = "hook.secret"
allow_private = true
`,
  })
  berth = new Berth('--config', instance.config.file)
  panel = new PanelClient(instance)
  await panel.setup()
  house = await furnish(instance, panel)
}, 400_000)
afterAll(async () => {
  await instance?.stop()
  await s3?.dispose()
  await pebble?.stop()
  listener?.close()
  if (elsewhere !== '') rmSync(elsewhere, { recursive: true, force: true })
}, 120_000)

const kit = (): string => join(elsewhere, 'kit.txt')
const exported = (): string => join(elsewhere, 'panel.age')

drill(
  'machine A: kit, backups at a target, and an export',
  async () => {
    await berth.ok('panel recovery-kit', [kit()])
    // What pages of PHP change by being seen is changed now.
    await Promise.all(house.pages.map(pageOf))
    for (const { tenant } of inhabitants()) await berth.ok('backups create', [tenant.username])
    // The newest backup of this one is a snapshot.
    await panel.data('POST', `/api/backups/snapshots/accounts/${house.closed.tenant.id}`)
    await expect.poll(() => told).toContain('backup.created')
    before = await look()
    expect(before.pages.map(({ status }) => status).slice(0, 6)).toEqual(Array(6).fill(200))
    expect(await berth.json('panel export', [exported()])).toMatchObject({
      accounts: 3,
      left_out: [],
    })
    orders = ordersSoFar()
    expect(orders).toBeGreaterThan(0)
    objects = objectsOf()
  },
  300_000,
)

drill(
  'machine B: empty, with a configuration that names nothing of A',
  async () => {
    const { file, ssl } = instance.config
    await destroyMachine(instance)
    const plain = readFileSync(file, 'utf8')
    const [own = ''] = plain.split('[[remote_target]]')
    writeFileSync(file, own.replaceAll(/^acme_.*\n/gm, ''))
    for (const name of ['s3.key', 'hook.secret', 'pebble.pem']) rmSync(join(dirname(file), name))
    for (const { tenant } of inhabitants()) expect(existsSync(tenant.home)).toBe(false)
    expect(existsSync(ssl.directory)).toBe(false)
    told.length = 0
  },
  60_000,
)

drill(
  'berth panel import brings the panel, with nothing left out',
  async () => {
    const report = await berth.json('panel import', [exported(), '--kit', kit()])
    expect(report).toMatchObject({
      accounts: inhabitants()
        .map(({ tenant }) => tenant.username)
        .sort(),
      skipped: [],
      names: expect.arrayContaining([
        expect.objectContaining({ domain: house.blog.tenant.domain, here: false }),
      ]),
    })
    await instance.startAgain()
  },
  300_000,
)

interface Restored {
  accounts: {
    username: string
    state: string
    backup: string
    files: number
    databases: number
    notes: string[]
  }[]
}

drill(
  'berth backups restore-all goes on where it was killed',
  async () => {
    const work = join(instance.config.paths.state_dir, 'backups/.work')
    const first = berth.run('backups restore-all', ['--from', 'offsite'])
    await expect
      .poll(() => (existsSync(work) ? readdirSync(work).length : 0), { interval: 5 })
      .toBeGreaterThan(0)
    await Promise.all([instance.kill('agent'), instance.kill('panel')])
    expect((await first).code).not.toBe(0)
    await instance.untilReady()
    const { accounts } = await berth.json<Restored>('backups restore-all', [
      ...['--from', 'offsite', '--at-once', '3'],
    ])
    expect(accounts.map(({ state, databases, notes }) => ({ state, databases, notes }))).toEqual(
      Array(3).fill({ state: 'done', databases: 1, notes: [] }),
    )
    for (const { files } of accounts) expect(files).toBeGreaterThan(0)
    const snapshot = accounts.find(({ username }) => username === house.closed.tenant.username)
    expect(snapshot?.backup).toMatch(/^[0-9a-f]{64}$/)
  },
  300_000,
)

drill(
  'every file, row, login, certificate, setting and page is as it was',
  async () => {
    const after = await look()
    for (const part of [
      ...(['uids', 'files', 'tables', 'hashes', 'certificates', 'settings', 'resellers'] as const),
    ])
      expect([part, after[part]]).toEqual([part, before[part]])
    expect(after.pages).toEqual(before.pages)

    // The administrator's session goes on; the accounts log in as before.
    expect((await panel.call('GET', '/api/auth/me')).status).toBe(200)
    const { blog, shop, closed } = house
    const login = async ({ username, password }: House['blog']['tenant'], more = {}) =>
      (await panel.call('POST', '/api/auth/login', { username, password, ...more }, null)).status
    expect(await login(blog.tenant)).toBe(200)
    const seller = await panel.data<{ token: string }>('POST', '/api/auth/login', RESELLER)
    const his = await panel.call('GET', '/api/accounts', undefined, seller.token)
    expect(his.body.data).toMatchObject([{ username: blog.tenant.username }])
    expect(await login(shop.tenant)).toBe(401)
    const totp = new TOTP({ secret: shop.totp }).generate({ timestamp: Date.now() + 30_000 })
    expect(await login(shop.tenant, { totp })).toBe(200)
    expect(await login(closed.tenant)).not.toBe(200)
    const own = await panel.call('GET', `/api/accounts/${shop.tenant.id}`, undefined, shop.token)
    expect(own.status).toBe(200)
    const other = await panel.call('GET', `/api/accounts/${blog.tenant.id}`, undefined, shop.token)
    expect(other.status).toBe(404)
  },
  120_000,
)

drill('nothing was ordered, removed, told or run before the machine is the live one', async () => {
  expect(ordersSoFar()).toBe(orders)
  expect(objectsOf()).toEqual(objects)
  expect(told).toEqual([])
  expect(existsSync(join('/var/spool/cron/crontabs', house.shop.tenant.username))).toBe(false)
  expect(existsSync(house.hook)).toBe(false)
  expect((await instance.site('hand.example', '/')).status).not.toBe(200)
  const { findings } = await panel.data<{ findings: { level: string; what: string }[] }>(
    'GET',
    '/api/doctor',
  )
  expect(findings.filter(({ level }) => level === 'fault')).toEqual([])
})

drill(
  'berth panel live lets go on what was held; hooks and hosts by hand are confirmed',
  async () => {
    expect(await berth.json('panel live')).toMatchObject({
      was_held: true,
      cron: [house.shop.tenant.username],
      left: [],
    })
    await expect.poll(() => told).toContain('backup.restored')
    await berth.ok('panel confirm', ['hooks'])
    await berth.ok('panel confirm', ['hosts'])
    await panel.data('POST', '/api/veloserve/reload')
    expect(existsSync(house.hook)).toBe(true)
    expect((await instance.site('hand.example', '/')).text).toBe('the second site')
    // What was suspended is whole, too.
    const { tenant, databases } = house.closed
    await panel.data('POST', `/api/accounts/${tenant.id}/unsuspend`)
    expect((await instance.site(tenant.domain, '/')).text).toBe('closed for now')
    const [database] = databases
    const tables = database === undefined ? [] : await tablesOf(instance, database)
    expect(tables).toEqual([
      expect.stringMatching(/^longest 1 /),
      expect.stringMatching(/^notes 500 /),
    ])
    // Renewals go on with the account at the authority that A had.
    await panel.data('GET', `/api/ssl/renew/${house.blog.tenant.domain}`)
    expect(ordersSoFar()).toBe(orders + 1)
  },
  120_000,
)
