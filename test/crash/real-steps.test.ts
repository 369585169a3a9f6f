import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { sampled } from '#test/support/sampled.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import type { JournalWatch, Point } from './support/watch-journal.ts'
import { watchJournal } from './support/watch-journal.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'

const VICTIMS = ['panel', 'agent', 'both'] as const
type Victim = (typeof VICTIMS)[number]

let journal: JournalWatch
/** Every operation but the creation is done to one of its accounts. */
let tenant: Tenant
shareInstance({
  authority: true,
  settings: { server: 'workers = 1', databases: 'postgresql = "managed"' },
})
beforeAll(async () => {
  journal = watchJournal(instance)
  tenant = await Tenant.create(panel)
  // So much that a backup of it takes a moment.
  await tenant.run('dd', ['if=/dev/urandom', `of=${tenant.path('big')}`, 'bs=1M', 'count=24'])
  for (const engine of ['mariadb', 'postgresql']) await addDatabase(tenant, engine, engine)
})
afterAll(async () => {
  journal?.close()
})

interface PageRequest {
  method: string
  path: string
  body?: unknown
}

const database = (owner: Tenant, name: string, engine: string) => ({
  ...{ account_id: owner.id, db_name: name, db_password: 'long enough 1', engine },
})
const addDatabase = (owner: Tenant, name: string, engine: string) =>
  panel.data('POST', '/api/databases', database(owner, name, engine))

const kill = async (victim: Victim): Promise<void> => {
  const names = victim === 'both' ? (['panel', 'agent'] as const) : [victim]
  await Promise.all(names.map((name) => instance.kill(name)))
}

/** Directories of backups and restores that are being done. */
const unfinishedWork = (): Promise<string[]> =>
  readdir(join(instance.config.paths.state_dir, 'backups', '.work')).catch(() => [])

/** Until the panel has nothing open any more, and the agent no unfinished backup work. */
const untilSettled = async (): Promise<void> => {
  await instance.untilReady()
  const deadline = Date.now() + 60_000
  for (;;) {
    const left = [...journal.open(), ...(await unfinishedWork())]
    if (left.length === 0) return
    if (Date.now() > deadline) throw new Error(`still open: ${left.join(', ')}`)
    await pause(20)
  }
}

/** What the host has that no record of the panel explains, and the other way round. */
const expectNothingOrphaned = async (): Promise<void> => {
  const { data } = (await panel.call('GET', '/api/doctor')).body
  expect(driftOf(data)).toEqual([])
  const { state_dir: state, vhosts_dir: vhosts, home_base: homes } = instance.config.paths
  const accounts = await panel.data<{ id: number; username: string }[]>('GET', '/api/accounts')
  const names = accounts.map(({ username }) => username).sort()
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((row) => row[5]?.startsWith(`${homes}/`))
    .map(([name = '']) => name)
  expect(users.sort()).toEqual(names)
  expect((await readdir(homes)).sort()).toEqual(names)
  const domains = await panel.data<{ domain_name: string }[]>('GET', '/api/domains')
  expect((await readdir(vhosts)).filter((name) => name.endsWith('.toml')).sort()).toEqual(
    domains.map(({ domain_name: name }) => `${name}.toml`).sort(),
  )
  const certificates = await panel.data<{ domain: string }[]>('GET', '/api/ssl/certificates')
  const kept = await readdir(instance.config.ssl.directory)
  for (const { domain } of domains.map((row) => ({ domain: row.domain_name })))
    expect([domain, kept.includes(domain)]).toEqual([
      domain,
      certificates.some((row) => row.domain === domain),
    ])
  const archives = (await readdir(join(state, 'backups'))).filter((name) => name.endsWith('.gz'))
  const recorded = await Promise.all(
    accounts.map(({ id }) =>
      panel.data<{ filename: string }[]>('GET', `/api/backups/accounts/${id}`),
    ),
  )
  const filenames = recorded.flat().map(({ filename }) => filename)
  // Archives outlive their account.
  expect(archives.filter((name) => names.includes(name.split('-')[0] ?? '')).sort()).toEqual(
    filenames.sort(),
  )
}

/** Sends it and kills when it has come to the point; whether it was acknowledged. */
const strike = async (
  asked: PageRequest,
  point: Point | (() => Promise<void>),
  victim: Victim,
): Promise<boolean> => {
  const reached = typeof point === 'function' ? point : journal.expect(point)
  const answer = panel.call(asked.method, asked.path, asked.body).catch(() => null)
  await reached()
  await kill(victim)
  const acknowledged = (await answer)?.status === 200
  await untilSettled()
  await expectNothingOrphaned()
  return acknowledged
}

const has = async (path: string): Promise<boolean> => (await panel.call('GET', path)).status === 200

/** Points of an operation, each with every victim in turn, the first ones with all. */
const each = (points: number, allUpTo: number): [number, Victim][] =>
  Array.from({ length: points }, (_, steps) => steps).flatMap((steps) =>
    steps < allUpTo
      ? VICTIMS.map((victim): [number, Victim] => [steps, victim])
      : ([[steps, VICTIMS[steps % 3] ?? 'both']] as [number, Victim][]),
  )

describe('creation of an account', () => {
  test.each(sampled('deaths in the creation of an account', each(3, 2), { keep: 2 }))(
    'after step %i: death of %s',
    async (steps, victim) => {
      const username = randomUsername()
      const domain = `${username}.example.com`
      const body = {
        ...{ username, domain, email: 'x@example.com', password: 'long enough 1', plan: 'free' },
      }
      const acknowledged = await strike(
        { method: 'POST', path: '/api/accounts', body },
        { kind: 'account.create', steps },
        victim,
      )
      const rows = await panel.data<{ id: number; username: string; status: string }[]>(
        'GET',
        '/api/accounts',
      )
      const row = rows.find((one) => one.username === username)
      if (acknowledged) expect(row).toBeDefined()
      expect((await instance.site(domain, '/')).status).toBe(row === undefined ? 404 : 200)
      if (row === undefined) return
      expect(row.status).toBe('active')
      await panel.data('DELETE', `/api/accounts/${row.id}`)
    },
  )
})

describe('deletion of an account with databases, certificate and backup', () => {
  test.each(sampled('deaths in the deletion of an account', each(7, 1), { keep: 3 }))(
    'after step %i: death of %s',
    async (steps, victim) => {
      const gone = await Tenant.create(panel)
      for (const engine of ['mariadb', 'postgresql']) await addDatabase(gone, engine, engine)
      const { certificate, key } = makeCertificate({ names: [gone.domain] })
      await panel.data('POST', '/api/ssl/upload', {
        ...{ domain: gone.domain, certificate, private_key: key },
      })
      await panel.data('POST', `/api/backups/accounts/${gone.id}`)
      await strike(
        { method: 'DELETE', path: `/api/accounts/${gone.id}` },
        { kind: 'account.delete', steps },
        victim,
      )
      // It had begun, so it is finished.
      expect(await has(`/api/accounts/${gone.id}`)).toBe(false)
      expect((await instance.site(gone.domain, '/')).status).not.toBe(200)
    },
  )
})

test.each(sampled('deaths in a backup', each(2, 1), { keep: 1 }))(
  'backup, after step %i: death of %s',
  async (steps, victim) => {
    const list = `/api/backups/accounts/${tenant.id}`
    const before = (await panel.data<unknown[]>('GET', list)).length
    const acknowledged = await strike(
      { method: 'POST', path: list },
      { kind: 'backup.create', steps },
      victim,
    )
    const after = (await panel.data<unknown[]>('GET', list)).length
    expect(acknowledged ? [before + 1] : [before, before + 1]).toContain(after)
  },
)

test.each(sampled('deaths in a restore', VICTIMS, { keep: 1 }))(
  'restore: death of %s',
  async (victim) => {
    const list = `/api/backups/accounts/${tenant.id}`
    await tenant.put('public_html/state', 'saved')
    const { filename } = await panel.data<{ filename: string }>('POST', list)
    await tenant.put('public_html/state', 'changed')
    const begun = async (): Promise<void> => {
      while ((await unfinishedWork()).length === 0) await pause(2)
    }
    const acknowledged = await strike(
      { method: 'POST', path: `${list}/restore/${filename}`, body: { what: 'all' } },
      begun,
      victim,
    )
    const read = await tenant.run('cat', ['--', tenant.path('public_html', 'state')])
    expect(acknowledged ? ['saved'] : ['saved', 'changed']).toContain(read.stdout)
    expect(await tenant.run('ls', ['-A', '--', tenant.home])).toMatchObject({ code: 0 })
  },
)

test.each(sampled('deaths in an order', each(2, 2), { keep: 1 }))(
  'order of a certificate, after step %i: death of %s',
  async (steps, victim) => {
    const acknowledged = await strike(
      { method: 'POST', path: '/api/ssl/provision', body: { domain: tenant.domain, force: true } },
      { kind: 'certificate.install', steps },
      victim,
    )
    const certified = await has(`/api/ssl/certificate/${tenant.domain}`)
    if (acknowledged) expect(certified).toBe(true)
    const secure = instance.site(tenant.domain, '/', { secure: true })
    if (certified) expect((await secure).status).toBe(200)
    else await secure.catch(() => undefined)
  },
)

test.each(sampled('deaths in the creation of a PostgreSQL database', VICTIMS, { keep: 1 }))(
  'PostgreSQL database: death of %s',
  async (victim) => {
    const name = randomUsername().slice(0, 8)
    const acknowledged = await strike(
      { method: 'POST', path: '/api/databases', body: database(tenant, name, 'postgresql') },
      { kind: 'database.create', steps: 0 },
      victim,
    )
    const rows = await panel.data<{ database: string }[]>('GET', `/api/databases/${tenant.id}`)
    const made = rows.some((row) => row.database === `${tenant.username}_${name}`)
    if (acknowledged) expect(made).toBe(true)
    if (made) await panel.data('DELETE', `/api/databases/${tenant.id}/${name}`)
  },
)

test.each(
  sampled('deaths at any moment', [5, 20, 45, 80, 120, 170, 230, 300, 400, 550], { keep: 3 }),
)('creation, database, backup and deletion in a row, death after %i ms', async (delayMs) => {
  const victim = VICTIMS[delayMs % 3] ?? 'both'
  const username = randomUsername()
  const work = (async () => {
    const { id } = await panel.data<{ id: number }>('POST', '/api/accounts', {
      ...{ username, domain: `${username}.example.com`, email: 'x@example.com' },
      ...{ password: 'long enough 1', plan: 'free' },
    })
    await panel.data('POST', '/api/databases', {
      ...{ account_id: id, db_name: 'a', db_password: 'long enough 1', engine: 'mariadb' },
    })
    await panel.data('POST', `/api/backups/accounts/${id}`)
    await panel.data('DELETE', `/api/accounts/${id}`)
  })().catch(() => undefined)
  await pause(delayMs)
  await kill(victim)
  await work
  await untilSettled()
  await expectNothingOrphaned()
  const rows = await panel.data<{ id: number; username: string }[]>('GET', '/api/accounts')
  const row = rows.find((one) => one.username === username)
  if (row !== undefined) await panel.data('DELETE', `/api/accounts/${row.id}`)
  await expectNothingOrphaned()
})
