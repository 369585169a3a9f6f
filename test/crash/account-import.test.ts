import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { osUser, shadowEntry } from '#adapters/node/agent/accounts/os-names.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { sampled } from '#test/support/sampled.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import type { JournalWatch } from './support/watch-journal.ts'
import { watchJournal } from './support/watch-journal.ts'

const PASSWORD = 'long enough 1'
const VICTIMS = ['panel', 'agent', 'both'] as const
/** What has just been written down as done when the end comes; '' is the beginning. */
const STEPS = [
  '',
  'domains',
  'php',
  'databases',
  'content',
  'certificates',
  'https',
  'cron',
  'sftp',
  'passwords',
  'close',
]
const points = STEPS.map((step, at) => ({ step, at, victim: VICTIMS[at % 3] ?? 'both' }))

let journal: JournalWatch
let tenant: Tenant
let directory = ''
let archive = ''
let database = ''
let systemHash = ''
shareInstance({ settings: { server: 'workers = 1' } })

const ask = async (sql: string): Promise<unknown> => {
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

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-import-'))
  journal = watchJournal(instance)
  tenant = await Tenant.create(panel)
  await tenant.put('public_html/page.txt', 'the page')
  // So much that its unpacking takes a moment.
  await tenant.run('dd', ['if=/dev/urandom', `of=${tenant.path('big')}`, 'bs=1M', 'count=12'])
  const body = { account_id: tenant.id, db_name: 'a', db_password: PASSWORD, engine: 'mariadb' }
  ;({ database } = await panel.data<{ database: string }>('POST', '/api/databases', body))
  await ask("CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('tea')")
  await panel.data('POST', '/api/domains', {
    account_id: tenant.id,
    domain_name: `two-${tenant.domain}`,
    domain_type: 'addon',
    document_root: `${tenant.home}/two`,
  })
  const { certificate, key } = makeCertificate({ names: [tenant.domain] })
  await panel.data('POST', '/api/ssl/upload', {
    ...{ domain: tenant.domain, certificate, private_key: key },
  })
  systemHash = (await shadowEntry(tenant.username))?.hash ?? ''
  const { filename } = await panel.data<{ filename: string }>(
    'POST',
    `/api/backups/accounts/${tenant.id}`,
  )
  archive = join(directory, filename)
  await cp(join(instance.config.paths.state_dir, 'backups', filename), archive)
  await panel.data('DELETE', `/api/accounts/${tenant.id}`)
}, 180_000)
afterAll(async () => {
  journal?.close()
  await rm(directory, { recursive: true, force: true })
})

const untilSettled = async (): Promise<void> => {
  await instance.untilReady()
  const work = join(instance.config.paths.state_dir, 'backups', '.work')
  const left = async (): Promise<string[]> => [
    ...journal.open(),
    ...(await readdir(work).catch(() => [])),
  ]
  await expect.poll(left, { timeout: 60_000 }).toEqual([])
}
const accounts = () => panel.data<{ id: number }[]>('GET', '/api/accounts')

const expectWhole = async (): Promise<void> => {
  expect((await osUser(tenant.username))?.uid).toBe(tenant.uid)
  expect((await shadowEntry(tenant.username))?.hash).toBe(systemHash)
  expect((await instance.site(tenant.domain, '/page.txt', { secure: true })).text).toBe('the page')
  expect((await instance.site(`two-${tenant.domain}`, '/')).status).not.toBe(404)
  expect(await ask('SELECT b FROM a')).toEqual([{ b: 'tea' }])
}
const expectNothing = async (): Promise<void> => {
  await expect.poll(() => osUser(tenant.username), { timeout: 30_000 }).toBeNull()
  const { home_base: homes, vhosts_dir: vhosts } = instance.config.paths
  expect(await readdir(homes)).toEqual([])
  expect((await readdir(vhosts)).filter((name) => name.includes(tenant.username))).toEqual([])
}

test.each(sampled('deaths in the import of an account', points, { keep: 3 }))(
  'import, killed after "$step": $victim',
  async ({ at, victim }) => {
    const reached = journal.expect({ kind: 'backup.import', steps: at })
    const answer = panel.call('POST', '/api/backups/imports', { path: archive }).catch(() => null)
    await reached()
    const names = victim === 'both' ? (['panel', 'agent'] as const) : [victim]
    await Promise.all(names.map((name) => instance.kill(name)))
    const acknowledged = (await answer)?.status === 200
    await untilSettled()
    const [made] = await accounts()
    if (acknowledged) expect(made).toBeDefined()
    await (made === undefined ? expectNothing() : expectWhole())
    expect(driftOf(await panel.data('GET', '/api/doctor'))).toEqual([])
    if (made !== undefined) await panel.data('DELETE', `/api/accounts/${made.id}`)
    // The archive is as it was: the next attempt makes the whole account.
    const again = await panel.data<{ account: { id: number } }>('POST', '/api/backups/imports', {
      path: archive,
    })
    await expectWhole()
    await panel.data('DELETE', `/api/accounts/${again.account.id}`)
  },
  120_000,
)
