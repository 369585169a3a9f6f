import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'

const PASSWORD = 'long enough 1'
const FILES = 400

let tenant: Tenant
let filename = ''
/** Where each database is reached, and its name and user. */
let mariadb = { host: '', name: '' }
let postgresql = { host: '', name: '' }

const makeDatabase = async (name: string, engine: string) => {
  const made = await panel.data<{ database: string; host: string }>('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: name,
    db_password: PASSWORD,
    engine,
  })
  return { host: made.host, name: made.database }
}

const askMariadb = async (sql: string): Promise<Record<string, unknown>[]> => {
  const connection = await mysql.createConnection({
    socketPath: path.join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: mariadb.name,
    password: PASSWORD,
    database: mariadb.name,
    multipleStatements: true,
  })
  try {
    return (await connection.query(sql))[0] as Record<string, unknown>[]
  } finally {
    await connection.end()
  }
}
const askPostgresql = async (sql: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({
    host: postgresql.host,
    user: postgresql.name,
    password: PASSWORD,
    database: postgresql.name,
  })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

const script = (state: string): string =>
  `cd "$1/public_html" && rm -rf many && mkdir many && for n in $(seq ${FILES}); do echo ${state} > many/$n; done; echo ${state} > ../state.txt`

/** Gives everything of the account one state. */
const setState = async (state: string): Promise<void> => {
  const { code, stderr } = await tenant.run('/bin/sh', ['-c', script(state), 'sh', tenant.home])
  expect([code, stderr]).toEqual([0, ''])
  await askMariadb(`UPDATE a SET b = '${state}'`)
  await askPostgresql(`UPDATE a SET b = '${state}'`)
}

/** Every state that is found anywhere of the account: one, or it is half. */
const statesFound = async (): Promise<string[]> => {
  const many = path.join(tenant.home, 'public_html', 'many')
  const names = await readdir(many)
  expect(names).toHaveLength(FILES)
  const files = [...names.map((name) => path.join(many, name)), path.join(tenant.home, 'state.txt')]
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const rows = [
    ...(await askMariadb('SELECT b, COUNT(*) AS rows_of FROM a GROUP BY b')),
    ...(await askPostgresql('SELECT b, count(*)::int AS rows_of FROM a GROUP BY b')),
  ]
  expect(rows.map((row) => Number(row['rows_of']))).toEqual([500, 500])
  return [...new Set([...texts.map((text) => text.trim()), ...rows.map((row) => String(row['b']))])]
}

const namesIn = (...names: string[]): Promise<string[]> =>
  readdir(path.join(instance.config.paths.state_dir, 'backups', ...names)).catch(() => [])

/** What is under way, and folders of the home beside those of what is kept. */
const unfinished = async (): Promise<string[]> => {
  const folders = (await readdir(tenant.home)).filter((name) => name.startsWith('.berth-'))
  const kept = await namesIn('.kept')
  return [...(await namesIn('.work')), ...folders.slice(kept.length)]
}

/** Until the agent has settled what it found; the rooms of the work are removed last. */
const untilSettled = async (): Promise<void> => {
  await instance.untilReady()
  await expect.poll(unfinished, { timeout: 60_000 }).toEqual([])
}

shareInstance({ settings: { server: 'workers = 1', databases: 'postgresql = "managed"' } })
beforeAll(async () => {
  tenant = await Tenant.create(panel)
  mariadb = await makeDatabase('m', 'mariadb')
  postgresql = await makeDatabase('p', 'postgresql')
  await askMariadb(
    'CREATE TABLE a (n INT PRIMARY KEY, b VARCHAR(9)); INSERT INTO a SELECT seq, "new" FROM seq_1_to_500',
  )
  await askPostgresql("CREATE TABLE a AS SELECT n, 'new'::text AS b FROM generate_series(1, 500) n")
  await setState('backup')
  filename = (await panel.data<{ filename: string }>('POST', `/api/backups/accounts/${tenant.id}`))
    .filename
}, 120_000)

interface Job {
  state: string
}

/** Begins a piece of work and kills the agent after `delayMs`; answers when all of it is settled. */
const killDuring = async (path: string, body: object, delayMs: number): Promise<void> => {
  const { job_id: id } = await panel.data<{ job_id: string }>('POST', path, body, {
    prefer: 'respond-async',
  })
  await delay(delayMs)
  await instance.kill('agent')
  await untilSettled()
  await expect
    .poll(async () => (await panel.data<Job>('GET', `/api/jobs/${id}`)).state, { timeout: 60_000 })
    .toMatch(/done|failed/)
}
const restorePath = (): string => `/api/backups/accounts/${tenant.id}/restore/${filename}`
const restores = () =>
  panel.data<{ id: string; lost: string | null }[]>(
    'GET',
    `/api/backups/accounts/${tenant.id}/restores`,
  )

test.each([20, 100, 200, 300, 400, 550, 700, 900, 1200])(
  'a restore whose agent is killed after %i ms is whole or never was',
  async (delayMs) => {
    await setState('now')
    await killDuring(restorePath(), { what: 'all' }, delayMs)
    const states = await statesFound()
    expect(states).toHaveLength(1)
    expect(['now', 'backup']).toContain(states[0])
    expect(driftOf(await panel.data('GET', '/api/doctor'))).toEqual([])
    // And it can be restored now.
    await setState('now')
    await panel.data('POST', restorePath())
    expect(await statesFound()).toEqual(['backup'])
  },
  90_000,
)

const CHOSEN = () => ({
  paths: ['public_html/many', 'state.txt'],
  databases: [
    { engine: 'mariadb', database: mariadb.name },
    { engine: 'postgresql', database: postgresql.name },
  ],
})

test.each([20, 100, 200, 300, 400, 550, 700, 900])(
  'a restore of parts whose agent is killed after %i ms is whole or never was, and can be undone when it was',
  async (delayMs) => {
    await setState('now')
    const before = new Set((await restores()).map(({ id }) => id))
    await killDuring(restorePath(), CHOSEN(), delayMs)
    const states = await statesFound()
    expect(states).toHaveLength(1)
    const kept = (await restores()).find(({ id }) => !before.has(id))
    // What there was is kept exactly when it gave way.
    expect([states[0], kept?.lost]).toEqual(kept ? ['backup', null] : ['now', undefined])
    if (!kept) await panel.data('POST', restorePath(), CHOSEN())
    expect(await statesFound()).toEqual(['backup'])
    const [last] = await restores()
    await panel.data('POST', `/api/backups/accounts/${tenant.id}/restores/${last?.id}/undo`)
    expect(await statesFound()).toEqual(['now'])
  },
  90_000,
)

test.each([10, 50, 100, 200, 300, 450, 600, 800])(
  'an undo whose agent is killed after %i ms is whole or never was, and loses nothing',
  async (delayMs) => {
    await setState('now')
    const wish = delayMs % 100 === 0 ? { what: 'all' } : CHOSEN()
    await panel.data('POST', restorePath(), wish)
    const [first] = await restores()
    const undo = `/api/backups/accounts/${tenant.id}/restores/${first?.id}/undo`
    await killDuring(undo, {}, delayMs)
    const states = await statesFound()
    expect(states).toHaveLength(1)
    const [kept] = await restores()
    // The other state is there to be had, whichever of them is in force.
    expect(kept?.lost).toBeNull()
    expect(states).toEqual([kept?.id === first?.id ? 'backup' : 'now'])
    await panel.data('POST', `/api/backups/accounts/${tenant.id}/restores/${kept?.id}/undo`)
    expect(await statesFound()).toEqual([states[0] === 'now' ? 'backup' : 'now'])
  },
  90_000,
)
