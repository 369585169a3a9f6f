import { beforeEach, expect, test } from 'vitest'
import { createAccount } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

interface Finding {
  kind: string
  subject: string
  what: string
  fix: string
  repairable: boolean
}
interface Answer {
  clean: boolean
  findings: Finding[]
  skipped: { check: string; reason: string }[]
  repaired: Finding[]
  failed: { kind: string; subject: string; error: string }[]
}

freshApi()
beforeEach(async () => {
  const account = await createAccount(admin, 'alice')
  const made = await admin.post('/api/databases', {
    account_id: account.id,
    db_name: 'shop',
    db_password: 'long enough 1',
    engine: 'mariadb',
  })
  expect(made.status).toBe(200)
})

const examine = async (): Promise<Answer> => (await admin.get('/api/doctor')).body.data as Answer
const treat = async (): Promise<Answer> => (await admin.post('/api/doctor/fix')).body.data as Answer

/** Kinds and subjects of findings. */
const names = (findings: readonly Finding[]): string[] =>
  findings.map(({ kind, subject, repairable }) => `${kind} ${subject} ${repairable}`)

const spec = () => structuredClone(api.host.webServer.hosts.get('alice.example')!)

test('a sound host is clean, and repairing it changes nothing', async () => {
  expect(await examine()).toMatchObject({ clean: true, findings: [] })
  const calls = api.host.calls.length
  expect(await treat()).toMatchObject({ clean: true, findings: [], repaired: [], failed: [] })
  expect(new Set(api.host.calls.slice(calls))).toEqual(
    new Set([
      ...['inspection.inspect', 'machine.facts', 'mailQueue.status', 'applications.states'],
      ...[
        'php.versions',
        'webServer.status',
        'sftp.details',
        'sftp.userProblems',
        'sftp.loginDifferences',
      ],
    ]),
  )
})

test.each<[string, () => void | Promise<unknown>, string]>([
  [
    'an application that the host does not know',
    async () => {
      const order = { account_id: 1, name: 'blog', runtime_kind: 'node', start_command: 'node .' }
      await admin.post('/api/applications', order)
      api.host.applications.kept.clear()
    },
    'application alice/blog true',
  ],
  [
    'an application that the panel does not know',
    () =>
      api.host.applications.put({
        spec: {
          ...{ username: 'alice', name: 'stray', folder: 'apps/stray', environment: {} },
          ...{ runtime: { kind: 'none', version: null }, start: 'exec ./serve', listen: 'socket' },
          ...{ healthPath: null, startLimitSecs: 60, restart: 'always' },
          ...{ memoryMb: null, sleepAfterSecs: null },
        },
        secrets: {},
      }),
    'application alice/stray true',
  ],
  [
    'a user that the panel does not know',
    () =>
      api.host.users.create({
        operationId: 'foreign',
        username: 'stray',
        password: 'long enough 1',
        primaryDomain: 'stray.example',
        diskQuotaMb: 1,
      }),
    'account stray true',
  ],
  [
    'a home with the wrong mode',
    () =>
      void api.host.inspection.drift.homes.set('alice', {
        path: '/home/alice',
        problem: 'has mode 0755 instead of 0710',
        repairable: true,
      }),
    'home /home/alice true',
  ],
  [
    'a suspension that the host does not know of',
    async () => {
      api.host.users.made.get('alice')!.suspended = true
    },
    'suspension alice true',
  ],
  [
    'a virtual host without file',
    () => void api.host.inspection.drift.files.set('alice.example', 'missing'),
    'virtual-host alice.example true',
  ],
  [
    'a virtual host whose file was edited',
    () => void api.host.inspection.drift.files.set('alice.example', 'changed'),
    'virtual-host alice.example true',
  ],
  [
    'a virtual host that is gone',
    () => void api.host.webServer.hosts.delete('alice.example'),
    'virtual-host alice.example true',
  ],
  [
    'a virtual host that the panel does not have',
    () =>
      void api.host.webServer.hosts.set('more.example', {
        ...spec(),
        domain: 'more.example',
        aliases: [],
      }),
    'virtual-host more.example true',
  ],
  [
    'a virtual host with other settings',
    () => void api.host.webServer.hosts.set('alice.example', { ...spec(), root: '/home/alice/x' }),
    'virtual-host alice.example true',
  ],
  [
    'a generated file of no host',
    () => void api.host.inspection.drift.strayFiles.push('gone.example.toml'),
    'virtual-host gone.example.toml true',
  ],
  [
    'a database that the panel does not have',
    () =>
      api.host.databases.create({
        operationId: 'db',
        username: 'alice',
        engine: 'mariadb',
        database: 'alice_more',
        user: 'alice_more',
        password: 'long enough 1',
      }),
    'database alice_more true',
  ],
  [
    'a database that is locked',
    () => void (api.host.databases.made.get('mariadb:alice_shop')!.locked = true),
    'database alice_shop true',
  ],
  [
    'certificate files that no site uses',
    () => {
      api.host.certificates.acmeEmail = 'a@example.com'
      return api.host.certificates.issue({
        operationId: 'old',
        username: 'alice',
        domain: 'alice.example',
        names: ['alice.example'],
        by_dns: [],
        replaces: null,
        webroot: null,
      })
    },
    'certificate alice.example true',
  ],
  [
    'PHP of an account that is gone',
    () => void api.host.inspection.drift.php.push({ pid: 4711, username: null }),
    'php process 4711 true',
  ],
  [
    'a secret that others may read',
    () =>
      void api.host.inspection.drift.paths.push({
        path: '/x/panel-jwt.key',
        problem: 'has mode 0644 instead of 0600',
        repairable: true,
      }),
    'path /x/panel-jwt.key true',
  ],
])('%s is found and put right', async (_name, harm, expected) => {
  await harm()
  const found = await examine()
  expect(names(found.findings)).toEqual([expected])
  expect(found.clean).toBe(false)
  const treated = await treat()
  expect(treated.failed).toEqual([])
  expect(names(treated.repaired)).toEqual([expected])
  expect(treated.findings).toEqual([])
  expect(treated.clean).toBe(true)
  expect((await examine()).clean).toBe(true)
})

test.each<[string, () => void, string]>([
  [
    'an account that the host does not have',
    () => void api.host.users.made.delete('alice'),
    'account alice false',
  ],
  [
    'a system user that is gone',
    () => void api.host.inspection.drift.users.set('alice', 'missing'),
    'account alice false',
  ],
  [
    'a system user that became somebody else',
    () => void api.host.inspection.drift.users.set('alice', 'foreign'),
    'account alice false',
  ],
  [
    'a home that is gone',
    () =>
      void api.host.inspection.drift.homes.set('alice', {
        path: '/home/alice',
        problem: 'is missing',
        repairable: false,
      }),
    'home /home/alice false',
  ],
  [
    'a database that the host does not know',
    () => void api.host.databases.made.delete('mariadb:alice_shop'),
    'database alice_shop false',
  ],
  [
    'a database that its server lost',
    () => void api.host.inspection.drift.lostDatabases.add('alice_shop'),
    'database alice_shop false',
  ],
  [
    'certificate files of nobody',
    () => void api.host.inspection.drift.strayCertificates.push('foreign.example'),
    'certificate foreign.example false',
  ],
  [
    'an archive that is no backup of the panel',
    () =>
      void api.host.inspection.drift.backups.push({
        filename: 'alice-20260101-000000.tar.gz',
        path: '/backups/alice-20260101-000000.tar.gz',
        sizeBytes: 1,
      }),
    'backup alice-20260101-000000.tar.gz false',
  ],
  [
    'an operation that the host left open',
    () =>
      void api.host.inspection.drift.operations.push({
        kind: 'users.create',
        subject: 'bob',
        ageSecs: 3600,
      }),
    'operation bob false',
  ],
])(
  '%s is reported with what a person can do, and nothing is removed',
  async (_name, harm, expected) => {
    harm()
    const [first] = (await examine()).findings
    expect(names([first!])).toEqual([expected])
    expect(first!.fix).not.toBe('')
    const treated = await treat()
    expect(names(treated.findings)).toContain(expected)
    expect(treated.clean).toBe(false)
    expect(await api.store.accountByName('alice')).not.toBeNull()
    expect(await api.store.listDatabases(1)).toHaveLength(1)
  },
)

test('a backup whose file is gone, or another one, is reported', async () => {
  const made = await admin.post('/api/backups/accounts/1')
  expect(made.status).toBe(200)
  const [[key, content] = ['', '']] = api.host.backups.files
  expect((await examine()).clean).toBe(true)
  api.host.backups.files.set(key, `${content} and more`)
  const subject = `backup ${key.replace('local/', '')} false`
  expect(names((await examine()).findings)).toEqual([subject])
  api.host.backups.files.delete(key)
  expect(names((await examine()).findings)).toEqual([subject])
})

test('an operation that is open for long is settled; one that just runs is left alone', async () => {
  const operation = {
    id: 'stuck',
    kind: 'account.suspend',
    subject: 'alice',
    state: 'open' as const,
    steps: [],
    data: { account_id: 1 },
    created_at: '2020-01-01 00:00:00',
  }
  await api.store.openOperation(operation)
  expect(names((await examine()).findings)).toEqual(['operation alice true'])
  expect((await treat()).clean).toBe(false)
  // What it did is judged as soon as it no longer hides behind the operation.
  expect(names((await examine()).findings)).toContain('suspension alice true')
  expect((await treat()).clean).toBe(true)
  expect(await api.store.openOperations()).toEqual([])
})

test('what an open operation may explain is no finding', async () => {
  await api.store.openOperation({
    id: 'running',
    kind: 'account.create',
    subject: 'newcomer',
    state: 'open',
    steps: [],
    data: { domain: 'newcomer.example' },
    created_at: new Date(api.clock.nowMs()).toISOString().slice(0, 19).replace('T', ' '),
  })
  await api.host.users.create({
    operationId: 'running',
    username: 'newcomer',
    password: 'long enough 1',
    primaryDomain: 'newcomer.example',
    diskQuotaMb: 1,
  })
  expect(await examine()).toMatchObject({ clean: true, findings: [] })
  expect((await treat()).clean).toBe(true)
  expect(api.host.users.made.has('newcomer')).toBe(true)
})

test('a user that got its record meanwhile is not removed', async () => {
  const { made } = api.host.users
  made.set('bob', { ...made.get('alice')!, username: 'bob', home: '/home/bob' })
  const { accountByName } = api.store
  // Between the look and the repair the record appears.
  api.store.accountByName = async (name) =>
    name === 'bob' ? ((await accountByName('alice')) ?? null) : accountByName(name)
  await treat()
  expect(made.has('bob')).toBe(true)
})

test('a repair that fails is told, and the others are done', async () => {
  api.host.inspection.drift.files.set('alice.example', 'missing')
  api.host.users.made.get('alice')!.suspended = true
  api.host.inject({
    method: 'webServer.regenerate',
    when: 'before',
    error: new Error('disk /etc/x full'),
  })
  const { failed, repaired, findings } = await treat()
  expect(names(repaired)).toEqual(['suspension alice true'])
  expect(names(findings)).toEqual(['virtual-host alice.example true'])
  expect(failed).toHaveLength(1)
  expect(JSON.stringify(failed)).not.toContain('/etc/x')
})

test('accounts that share their processes and temporary files are told of', async () => {
  const reason = 'the kernel grants no mount namespace'
  api.host.inspection.drift.sharedRooms = reason
  const { findings } = await examine()
  expect(findings).toMatchObject([
    { kind: 'isolation', subject: 'accounts', what: expect.stringContaining(reason) },
  ])
  api.host.inspection.drift.sharedRooms = null
  expect((await examine()).clean).toBe(true)
})

test('accounts that nothing holds to their processor and memory are told of', async () => {
  const reason = 'No control groups are mounted.'
  api.host.inspection.drift.unheldAccounts = reason
  const { findings } = await examine()
  expect(findings).toMatchObject([
    { kind: 'limit', level: 'warning', what: expect.stringContaining(reason) },
  ])
  api.host.inspection.drift.unheldAccounts = null
  expect((await examine()).clean).toBe(true)
})

test('plans with a weight at a disk that goes by none are told of, and no others', async () => {
  const reason = 'vda has the scheduler mq-deadline'
  api.host.inspection.drift.unsharedDisk = reason
  expect((await examine()).findings).toEqual([])
  const limits = { disk_quota_mb: 10, bandwidth_quota_mb: 10, domains_limit: 1, databases_limit: 1 }
  const made = await admin.post('/api/plans', {
    ...{ name: 'weighed', tokens_limit: 1, backups_limit: 1, io_weight: 300 },
    ...{ processes_limit: 40, memory_limit_mb: 512, ...limits },
  })
  expect(made.status).toBe(200)
  expect((await examine()).findings).toMatchObject([
    {
      ...{ kind: 'limit', level: 'warning', subject: 'io_weight' },
      what: `of weighed has no effect: ${reason}`,
    },
  ])
  api.host.inspection.drift.unsharedDisk = null
  expect((await examine()).findings).toEqual([])
})

test('what a panel elsewhere made on this machine is no fault here, and is never removed', async () => {
  const { made } = api.host.users
  made.set('stranger', { ...made.get('alice')!, username: 'stranger', home: '/home/stranger' })
  const found = async () =>
    (await examine()).findings.filter(({ subject }) => subject === 'stranger')
  expect(await found()).toMatchObject([{ kind: 'account', repairable: true }])
  api.host.inspection.drift.panels = ['panel-1']
  expect(await found()).toEqual([])
  await treat()
  expect(made.has('stranger')).toBe(true)
  api.host.inspection.drift.panels = []
  await treat()
  expect(made.has('stranger')).toBe(false)
})

test('whatever fails because a disk is full says so', async () => {
  const full = Object.assign(new Error('write failed'), { code: 'ENOSPC' })
  api.host.inject({ method: 'databases.create', when: 'before', error: full, times: 1 })
  const answer = await admin.post('/api/databases', {
    account_id: 1,
    db_name: 'more',
    db_password: 'long enough 1',
    engine: 'mariadb',
  })
  expect([answer.status, answer.body.error]).toEqual([503, expect.stringContaining('disk of this')])
})

test('sites that held up workers are told of with what they did, and nothing is repaired', async () => {
  const stall = { at: '2026-01-02 03:04:05', secs: 3, ended: true, method: 'GET' } as const
  const rules = { ...stall, site: 'alice.example', target: '/x?y', part: 'rules' } as const
  api.host.webServer.stalls = [
    { ...rules, held: false },
    { ...rules, held: true },
    { ...stall, site: 'b.test', target: '/once', part: 'request', held: false },
    { ...stall, site: null, method: null, target: null, part: null, held: false },
    { ...stall, ended: false, site: null, method: null, target: null, part: null, held: false },
  ]
  const { clean, findings } = await examine()
  expect(clean).toBe(false)
  expect(names(findings)).toEqual([
    'stall alice.example false',
    'stall b.test false',
    'stall the web server false',
  ])
  expect(findings[0]?.what).toBe(
    'held up a worker of the web server 2 times within a day, last at 2026-01-02 03:04:05 by GET /x?y; what did it is answered with 503 until it changes',
  )
  expect(findings[1]?.what).toMatch(
    / once within a day, last at 2026-01-02 03:04:05 by GET \/once$/,
  )
  expect(findings[2]?.what).toContain('ended 1 of its workers')
  expect(names((await treat()).repaired)).toEqual([])
})
