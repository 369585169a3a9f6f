import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { destroyMachine } from '#test/support/recovery/destroy-machine.ts'
import { sampled } from '#test/support/sampled.ts'
import { Tenant } from '#test/support/tenant.ts'

const PROGRAM = resolve(import.meta.dirname, '../../adapters/node/bin/recovery.ts')
const PASSWORD = 'long enough 1'

let instance: Instance
let panel: PanelClient
let tenants: Tenant[]
let elsewhere: string
let plainConfig = ''
let kit = ''
let database = ''
let shadow: string[] = []

/** The program that `berth panel` runs. */
const start = (request: object): ChildProcess => {
  const child = spawn(process.execPath, [PROGRAM, '--config', instance.config.file], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(JSON.stringify(request))
  return child
}
const run = async (request: object): Promise<Record<string, unknown>> => {
  const child = start(request)
  let [out, error] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (error += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(error)
  return JSON.parse(out) as Record<string, unknown>
}
/** Kills the program as soon as `sign` is there; answers whether it was still at work. */
const killAt = async (request: object, sign: () => boolean): Promise<boolean> => {
  const child = start(request)
  child.stdout?.resume()
  child.stderr?.resume()
  const ended = once(child, 'close')
  while (child.exitCode === null && !sign()) await delay(1)
  child.kill('SIGKILL')
  await ended
  return child.signalCode === 'SIGKILL'
}

const exportFile = (): string => join(elsewhere, 'panel.age')
const exporting = (file: string) => ({ action: 'export', file, secret: null, recipient: null })
const importing = () => ({
  action: 'import',
  file: exportFile(),
  secret: { kind: 'kit', text: kit },
})
const shadowOf = (username: string): string =>
  readFileSync('/etc/shadow', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${username}:`))
    ?.split(':')[1] ?? ''

beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'berth-elsewhere-'))
  instance = await startInstance({ settings: { server: 'workers = 1' } })
  plainConfig = readFileSync(instance.config.file, 'utf8')
  panel = new PanelClient(instance)
  await panel.setup()
  tenants = [await Tenant.create(panel), await Tenant.create(panel)]
  const made = await panel.data<{ database: string }>('POST', '/api/databases', {
    account_id: tenants[0]?.id,
    db_name: 'shop',
    db_password: PASSWORD,
    engine: 'mariadb',
  })
  database = made.database
  await panel.data('POST', `/api/accounts/${tenants[1]?.id}/suspend`)
  shadow = tenants.map(({ username }) => shadowOf(username))
  kit = String((await run({ action: 'kit', renew: false }))['kit'])
}, 180_000)
afterAll(async () => {
  await instance?.stop()
  rmSync(elsewhere, { recursive: true, force: true })
})

const leftovers = (): string[] => [
  ...readdirSync(elsewhere).filter((name) => name.endsWith('.part')),
  ...readdirSync(instance.config.paths.state_dir).filter((name) => name.startsWith('.export-')),
]

test('an export that is killed is not there, and the next one removes what it left', async () => {
  const { state_dir } = instance.config.paths
  const file = join(elsewhere, 'killed.age')
  const part = join(elsewhere, '.killed.age.part')
  const signs: (() => boolean)[] = [
    () => readdirSync(state_dir).some((name) => name.startsWith('.export-')),
    () => existsSync(part),
    () => (statSync(part, { throwIfNoEntry: false })?.size ?? 0) > 1000,
  ]
  for (const sign of signs) {
    const killed = await killAt(exporting(file), sign)
    if (killed) expect(existsSync(file)).toBe(false)
    rmSync(file, { force: true })
    await run(exporting(file))
    expect(leftovers()).toEqual([])
    rmSync(file)
  }
  await run(exporting(exportFile()))
}, 240_000)

/** What the journal of an import says that is over. */
const done = (): string[] => {
  try {
    const file = join(instance.config.paths.state_dir, 'recovery/import/state.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { done: string[] }).done
  } catch {
    return []
  }
}
const has = (step: string) => () => done().some((one) => one.startsWith(step))
const exists = (path: string) => () => existsSync(join(instance.config.paths.state_dir, path))

const points: [string, () => boolean][] = [
  ['while it is unpacked', exists('recovery/import/files')],
  ['when it is proved', exists('recovery/import/state.json')],
  ['when duties are held', exists('not-live.json')],
  ['when it has begun', has('begun')],
  ['while files are placed', exists('agent/acme')],
  ['when the records are there', has('records')],
  ['when the first account is there', has('account:')],
  ['when the first database is begun', has('database-begun:')],
  ['when the first database is there', has('database:')],
]

test('an import that is killed anywhere goes on, and nothing is lost', async () => {
  for (const [when, sign] of sampled('import', points, { keep: 3 })) {
    await destroyMachine(instance)
    writeFileSync(instance.config.file, plainConfig)
    await killAt(importing(), sign)
    const report = await run(importing())
    expect([when, report['skipped']]).toEqual([when, []])
    for (const [index, { username, uid, home }] of tenants.entries()) {
      expect([when, statSync(home).uid]).toEqual([when, uid])
      expect([when, shadowOf(username)]).toEqual([when, shadow[index]])
      expect([when, readdirSync(home)]).toEqual([when, expect.arrayContaining(['public_html'])])
    }
    const { state_dir } = instance.config.paths
    expect([when, existsSync(join(state_dir, 'not-live.json'))]).toEqual([when, true])
    expect([when, existsSync(join(state_dir, 'recovery/import'))]).toEqual([when, false])
  }
  await instance.startAgain()
  expect((await panel.call('GET', '/api/auth/me')).status).toBe(200)
  expect(await panel.data('GET', '/api/doctor')).toMatchObject({ clean: true })
  const connection = await mysql.createConnection({
    socketPath: join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: database,
    password: PASSWORD,
    database,
  })
  await connection.end()
}, 900_000)
