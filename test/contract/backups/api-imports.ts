import { expect, test } from 'vitest'
import type { AccountRecord, ArchiveFacts } from '#handlers/ports/host/backups/archived-records.ts'
import type { CronSettings } from '#handlers/ports/store/cron-store.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { Answer, ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { PUBLIC_KEY } from '../sftp/sftp-port.ts'
import { archiveOf, SHA256 } from './archive-of.ts'
import { newRecord } from './archived-record.ts'

const PATH = '/root/carol.tar.gz'

/** What archives of version 1 tell. */
const OLD: Partial<ArchiveFacts> = {
  version: 1,
  madeBy: null,
  uid: null,
  home: null,
  uidIsFree: false,
  proof: 'unproved',
  keyId: null,
  hasSecrets: false,
  record: null,
}

const OLD_PATH = '/root/erin.tar.gz'

interface Domain {
  domain_name: string
  [field: string]: unknown
}

const domainsOf = async (client: ApiClient, id: number): Promise<Domain[]> =>
  (await client.get(`/api/domains/account/${id}?sort=id`)).body.data as Domain[]

/** `/api/backups/imports` and `/api/backups/deleted-accounts`. */
export const importsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('imports of archives', makeInstance, (shared) => {
    const archives = () => shared.instance.host.imports.archives
    const problemsOf = async (body: object): Promise<string> => {
      const answer = await shared.admin.post('/api/backups/imports/inspect', body)
      return (answer.body.data as { problems: string[] }).problems.join('\n')
    }

    test('are for administrators alone', async () => {
      await createAccount(shared.admin, 'alice')
      const alice = await accountClient(shared.instance, 'alice')
      for (const [method, path] of [
        ['GET', `/api/backups/imports?path=${PATH}`],
        ['POST', '/api/backups/imports'],
        ['POST', '/api/backups/imports/inspect'],
        ['GET', '/api/backups/deleted-accounts'],
      ] as const) {
        expect([path, (await apiClient(shared.instance).send(method, path)).status]).toEqual([
          path,
          401,
        ])
        expect([
          path,
          (await alice.send(method, path, method === 'GET' ? undefined : {})).status,
        ]).toEqual([path, 403])
      }
    })

    test('finds what is at a path', async () => {
      archives().set(PATH, archiveOf('carol'))
      const found = await shared.admin.get('/api/backups/imports?path=/root')
      expect(found.body.data).toEqual([
        { path: PATH, filename: 'carol.tar.gz', size_bytes: 1000, known: false },
      ])
      expect((await shared.admin.get('/api/backups/imports?path=/nowhere')).status).toBe(404)
      expect((await shared.admin.get('/api/backups/imports?path=root')).status).toBe(400)
      for (const body of [{}, { path: PATH, account_id: 1 }, { account_id: 1 }, { path: 'x' }])
        expect((await shared.admin.post('/api/backups/imports', body)).status).toBe(400)
    })

    test('tells what is in an archive and what would collide', async () => {
      const inspected = await shared.admin.post('/api/backups/imports/inspect', { path: PATH })
      expect(inspected.body.data).toMatchObject({
        username: 'carol',
        proof: 'own',
        has_secrets: true,
        problems: [],
        notes: [],
        databases: [{ database: 'carol_shop', to: 'carol_shop', has_password: true }],
        account: {
          username: 'carol',
          domain: 'carol.example',
          plan: 'pro',
          certificates: ['shop.carol.example'],
        },
        archived: {
          email: 'carol@example.com',
          plan: 'pro',
          suspended: false,
          certificates: ['shop.carol.example'],
        },
        collisions: [],
        missing: [],
      })
      expect(JSON.stringify(inspected.body)).not.toContain('argon2')
      expect(await problemsOf({ path: PATH, username: 'alice' })).toContain('account alice already')
      expect(await problemsOf({ path: PATH, domain: 'alice.example' })).toContain('exists already')
      expect(await problemsOf({ path: PATH, plan: 'gold' })).toContain('plan must be one of')
      expect(await problemsOf({ path: PATH, username: 'root' })).not.toBe('')
      expect(await problemsOf({ path: PATH, domains: { 'carol.example': null } })).toContain(
        'cannot be left out',
      )
      expect(shared.instance.host.imports.opened.size).toBe(0)
    })

    test('makes the account with all that it had', async () => {
      const { status, body } = await shared.admin.post('/api/backups/imports', {
        path: PATH,
        sha256: SHA256,
      })
      expect([status, body.error]).toEqual([200, undefined])
      const { account } = body.data as { account: { id: number } }
      expect(account).toMatchObject({
        username: 'carol',
        primary_domain: 'carol.example',
        email: 'carol@example.com',
        plan: 'pro',
        disk_quota_mb: 777,
        status: 'active',
      })
      expect(await domainsOf(shared.admin, account.id)).toMatchObject([
        {
          domain_name: 'carol.example',
          cache_ttl: 60,
          cache_exclude: ['/cart/*'],
          cache_fills: 'neutral',
        },
        {
          domain_name: 'shop.carol.example',
          document_root: '/home/carol/shop',
          ssl_status: 'active',
          redirect_https: true,
        },
        { domain_name: 'alias-carol.example', domain_type: 'alias' },
      ])
      const { imports, webServer } = shared.instance.host
      expect(imports.filled).toEqual(['carol carol_shop>carol_shop'])
      expect(imports.taken).toEqual([
        'carol carol_shop>carol_shop carol_reader>carol_reader system',
      ])
      expect(imports.opened.size).toBe(0)
      expect(webServer.purges.at(-1)).toEqual(
        expect.arrayContaining(['carol.example', 'shop.carol.example']),
      )
      const databases = await shared.admin.get(`/api/databases/${account.id}`)
      expect(databases.body.data).toMatchObject([{ database: 'carol_shop', user: 'carol_shopper' }])
      const again = await shared.admin.post('/api/backups/imports', { path: PATH })
      expect([again.status, again.body.error]).toEqual([
        409,
        expect.stringContaining('account carol already'),
      ])
    })

    test('makes it beside another one, under other names', async () => {
      const { status, body } = await shared.admin.post('/api/backups/imports', {
        path: PATH,
        username: 'dora',
        domain: 'dora.example',
        domains: { 'alias-carol.example': null },
        password: 'another password',
      })
      expect([status, body.error]).toEqual([200, undefined])
      const { account, notes } = body.data as { account: { id: number }; notes: string[] }
      const names = (await domainsOf(shared.admin, account.id)).map((row) => row.domain_name)
      expect(names).toEqual(['dora.example', 'shop.dora.example'])
      expect(notes.join(' ')).toContain('shop.dora.example has no certificate')
      expect(shared.instance.host.imports.filled.at(-1)).toBe('dora carol_shop>dora_shop')
      expect(shared.instance.host.imports.taken.at(-1)).toBe(
        'dora carol_shop>dora_shop carol_reader>dora_reader',
      )
      expect((await shared.admin.get(`/api/database-users/${account.id}`)).body.data).toMatchObject(
        [{ user: 'dora_reader', databases: [{ database: 'dora_shop', rights: 'read' }] }],
      )
      const login = { username: 'dora', password: 'another password' }
      expect((await shared.admin.post('/api/auth/login', login)).status).toBe(200)
      await shared.admin.del(`/api/accounts/${account.id}`)
    })

    test('points configuration files and cron jobs at the new home, where that is said', async () => {
      const archive = archiveOf('lena')
      const { record } = archive.facts
      if (record === null) throw new Error('an archive without a record')
      const job: CronSettings = {
        ...{ name: 'tidy', schedule: '@daily', time_zone: 'UTC', kind: 'shell', enabled: true },
        ...{ command: 'php /home/lena/tidy.php', time_limit_secs: 60, overlap: 'skip' },
        notify_after: 0,
      } as CronSettings
      const facts = { ...archive.facts, record: { ...record, cron: [job] } }
      archives().set('/root/lena.tar', { ...archive, facts })
      const asked = { path: '/root/lena.tar' }
      const seen = await shared.admin.post('/api/backups/imports/inspect', asked)
      expect(seen.body.data).toMatchObject({
        former_homes: ['/home/lena'],
        configs: [{ path: 'public_html/wp-config.php', paths: 2 }],
      })
      const { imports } = shared.instance.host
      for (const fix_configs of [false, true]) {
        imports.pointed.length = 0
        const other = { ...asked, username: 'nora', domain: 'nora.example', fix_configs }
        const made = await shared.admin.post('/api/backups/imports', {
          ...other,
          domains: { 'alias-lena.example': null },
          password: 'a password 1',
        })
        expect([made.status, made.body.error]).toEqual([200, undefined])
        const { account, notes } = made.body.data as { account: { id: number }; notes: string[] }
        expect(imports.pointed).toEqual(fix_configs ? ['nora'] : [])
        expect(notes.join(' ').includes('public_html/wp-config.php')).toBe(fix_configs)
        const jobs = await shared.admin.get(`/api/cron/${account.id}`)
        expect(jobs.body.data).toMatchObject([
          { command: `php /home/${fix_configs ? 'nora' : 'lena'}/tidy.php` },
        ])
        await shared.admin.del(`/api/accounts/${account.id}`)
      }
      const wrong = { ...asked, fix_configs: 'yes' }
      expect((await shared.admin.post('/api/backups/imports', wrong)).status).toBe(400)
    })

    test('finds archives at a target and makes accounts of them', async () => {
      const filename = 'gina-20260101-000000.tar.gz'
      archives().set(`away/${filename}`, archiveOf('gina'))
      const found = await shared.admin.get('/api/backups/imports?target=away')
      expect(found.body.data).toEqual([
        { path: `away/${filename}`, filename, size_bytes: 1000, known: false },
      ])
      const source = { target: 'away', filename }
      const seen = await shared.admin.post('/api/backups/imports/inspect', source)
      expect(seen.body.data).toMatchObject({ username: 'gina', problems: [] })
      const { status, body } = await shared.admin.post('/api/backups/imports', source)
      expect([status, body.error]).toEqual([200, undefined])
      const { account } = body.data as { account: { id: number } }
      await shared.admin.del(`/api/accounts/${account.id}`)
      for (const wrong of [
        { target: 'away' },
        { target: 'away', path: PATH },
        { target: 'away', filename: '../x.tar.gz' },
        { target: '../x', filename },
        { filename },
        { account_id: 1, filename: 'other.tar.gz' },
      ])
        expect((await shared.admin.post('/api/backups/imports/inspect', wrong)).status).toBe(400)
      expect((await shared.admin.get('/api/backups/imports')).status).toBe(400)
      const both = `/api/backups/imports?target=away&path=${PATH}`
      expect((await shared.admin.get(both)).status).toBe(400)
      archives().delete(`away/${filename}`)
    })

    test("tells what becomes of another panel's archive, which knows no plan here", async () => {
      const foreign = archiveOf('fay', {
        madeBy: 'cPanel',
        proof: 'unproved',
        report: [{ what: 'left', subject: 'DNS zones', reason: 'There is no name server.' }],
      })
      const { record } = foreign.facts
      if (record === null) throw new Error('an archive without a record')
      const untold = { plan: '', disk_quota_mb: 0, bandwidth_quota_mb: 0 }
      record.account = { ...record.account, ...untold }
      record.plan = { ...record.plan, disk_quota_mb: 0, bandwidth_quota_mb: 0, name: '' }
      archives().set('/root/fay.tar', { ...foreign, secrets: null })
      const path = '/root/fay.tar'
      expect(await problemsOf({ path })).toContain('plan is required')
      // What it says itself is seen, and what collides, before anything is chosen.
      const colliding = { path, domain: 'alice.example' }
      const first = await shared.admin.post('/api/backups/imports/inspect', colliding)
      expect(first.body.data).toMatchObject({
        account: null,
        archived: {
          plan: '',
          domains: expect.arrayContaining([
            { domain_name: 'fay.example', domain_type: 'primary' },
          ]) as object[],
        },
        missing: ['plan'],
        collisions: expect.arrayContaining([expect.stringContaining('exists already')]) as string[],
      })
      const asked = { path, plan: 'pro' }
      const inspected = await shared.admin.post('/api/backups/imports/inspect', asked)
      expect(inspected.body.data).toMatchObject({
        ...{ made_by: 'cPanel', problems: [], report: foreign.facts.report },
      })
      const taken = await shared.admin.post('/api/backups/imports', { ...asked, unproved: true })
      expect(taken.status).toBe(200)
      expect(taken.body.data).toMatchObject({
        account: { username: 'fay', plan: 'pro' },
        notes: expect.arrayContaining([expect.stringContaining('no password')]) as string[],
      })
    })

    test('brings cron jobs, which are off where nobody proves who wrote them', async () => {
      const job: CronSettings = {
        name: 'tidy',
        schedule: '15  3 * * *',
        time_zone: 'Europe/Berlin',
        kind: 'command',
        command: '["php","tidy.php"]',
        enabled: true,
        time_limit_secs: 60,
        overlap: 'queue',
        notify_after: 2,
      }
      const bring = async (
        username: string,
        cron: unknown[],
        change: Partial<ArchiveFacts> = {},
      ) => {
        const archive = archiveOf(username, change)
        const record = { ...newRecord(username).record, ...archive.facts.record, cron }
        const facts = { ...archive.facts, record: record as ArchiveFacts['record'] }
        archives().set(`/root/${username}.tar.gz`, { ...archive, facts })
        return shared.admin.post('/api/backups/imports', {
          path: `/root/${username}.tar.gz`,
          sha256: SHA256,
          unproved: true,
        })
      }
      const jobsOf = async (answer: Answer): Promise<unknown> => {
        const { account } = answer.body.data as { account: { id: number } }
        const jobs = (await shared.admin.get(`/api/cron/${account.id}`)).body.data
        await shared.admin.del(`/api/accounts/${account.id}`)
        return jobs
      }
      expect(await jobsOf(await bring('cronone', [job]))).toMatchObject([
        { ...job, schedule: '15 3 * * *', command: ['php', 'tidy.php'], enabled: true },
      ])
      const doubtful = await bring('crontwo', [job], { proof: 'unproved' })
      expect(await jobsOf(doubtful)).toMatchObject([
        { name: 'tidy', enabled: false, next_at: null },
      ])
      expect(JSON.stringify(doubtful.body.data)).toContain('switched off')
      for (const bad of [
        { schedule: '61 * * * *' },
        { command: 'php tidy.php' },
        { command: '["A=B"]' },
        { kind: 'url', command: 'file:///etc/passwd' },
        { kind: 'shell', command: 'a\nb' },
        { name: 'a\nb' },
        { time_limit_secs: 0 },
      ])
        expect([bad, (await bring('cronbad', [{ ...job, ...bad }])).status]).toEqual([bad, 409])
    })

    test('brings the account’s own backup schedule, with the places that are here', async () => {
      const own: NonNullable<AccountRecord['backup_schedule']> = {
        what: 'archive',
        every_hours: 6,
        window: { from: 22, to: 4 },
        places: ['local', 'gone'],
        retention: { last: 0, hourly: 0, daily: 3, weekly: 0, monthly: 0 },
      }
      const path = '/root/sched.tar.gz'
      const lay = (schedule: unknown): void => {
        const archive = archiveOf('sched')
        const record = { ...newRecord('sched').record, backup_schedule: schedule }
        const facts = { ...archive.facts, record: record as ArchiveFacts['record'] }
        archives().set(path, { ...archive, facts })
      }
      const bring = () => shared.admin.post('/api/backups/imports', { path })
      const schedules = '/api/backups/schedules/accounts'
      lay(own)
      const seen = await shared.admin.post('/api/backups/imports/inspect', { path })
      const told = [expect.stringContaining('goes without: gone') as string]
      expect(seen.body.data).toMatchObject({ problems: [], notes: told })
      const made = await bring()
      expect([made.status, made.body.error]).toEqual([200, undefined])
      const { account } = made.body.data as { account: { id: number } }
      expect(made.body.data).toMatchObject({ notes: expect.arrayContaining(told) as string[] })
      const held = await shared.admin.get(`${schedules}/${account.id}`)
      expect(held.body.data).toMatchObject({
        source: 'account',
        schedule: { ...own, places: ['local'] },
      })
      await shared.admin.del(`/api/accounts/${account.id}`)

      lay({ ...own, places: ['gone'] })
      const without = await bring()
      const { account: second } = without.body.data as { account: { id: number } }
      expect(JSON.stringify(without.body.data)).toContain('is not taken over')
      const plan = await shared.admin.get(`${schedules}/${second.id}`)
      expect(plan.body.data).not.toMatchObject({ source: 'account' })
      await shared.admin.del(`/api/accounts/${second.id}`)
      for (const bad of [
        { every_hours: 5 },
        { window: { from: 2, to: 2 } },
        { retention: { last: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0 } },
        { places: [] },
      ]) {
        lay({ ...own, ...bad })
        expect([bad, (await bring()).status]).toEqual([bad, 409])
      }
      archives().delete(path)
    })

    test('brings SSH keys, but for those that nobody proves', async () => {
      const sftp = {
        passwords: false,
        keys: [{ name: 'laptop', public_key: PUBLIC_KEY, expires_at: '2040-01-01 00:00:00' }],
        users: [
          {
            ...{ name: 'web', folder: 'public_html/shop', read_only: true },
            keys: [{ name: 'agency', public_key: PUBLIC_KEY, expires_at: null }],
          },
        ],
      }
      const bring = async (username: string, told: object, change: Partial<ArchiveFacts> = {}) => {
        const archive = archiveOf(username, change)
        const record = { ...newRecord(username).record, ...archive.facts.record, sftp: told }
        const facts = { ...archive.facts, record: record as ArchiveFacts['record'] }
        archives().set(`/root/${username}.tar.gz`, { ...archive, facts })
        const path = `/root/${username}.tar.gz`
        return shared.admin.post('/api/backups/imports', { path, sha256: SHA256, unproved: true })
      }
      const logins = (username: string) => shared.instance.host.sftp.logins.get(username)
      const removed = async (answer: Answer): Promise<void> => {
        const { account } = answer.body.data as { account: { id: number } }
        await shared.admin.del(`/api/accounts/${account.id}`)
      }
      const good = await bring('sftpone', sftp)
      expect(logins('sftpone')).toEqual({
        ...{ passwords: false, shell: false },
        keys: [{ id: expect.any(Number), publicKey: PUBLIC_KEY, expiresAt: '2040-01-01 00:00:00' }],
        users: [
          {
            ...{ name: 'sftpone_web', folder: 'public_html/shop', readOnly: true },
            // Its password is not in archives.
            passwords: false,
            keys: [{ id: expect.any(Number), publicKey: PUBLIC_KEY, expiresAt: null }],
          },
        ],
      })
      await removed(good)
      const doubtful = await bring('sftptwo', sftp, { proof: 'unproved' })
      // What closes a way in needs no proof.
      expect(logins('sftptwo')).toEqual({
        ...{ passwords: false, shell: false, keys: [], users: [] },
      })
      expect(JSON.stringify(doubtful.body.data)).toContain('1 SSH keys were left out')
      expect(JSON.stringify(doubtful.body.data)).toContain('1 SFTP users for single folders')
      await removed(doubtful)
      const closed = await bring(
        'sftpthree',
        { ...sftp, keys: [], users: [] },
        { proof: 'unproved' },
      )
      expect(logins('sftpthree')).toEqual({
        ...{ passwords: false, shell: false, keys: [], users: [] },
      })
      expect(JSON.stringify(closed.body.data)).not.toContain('SSH keys')
      await removed(closed)
      // A shell needs proof, and a plan that allows it.
      const shell = { passwords: true, shell: true, keys: [], users: [] }
      for (const [username, proof, limit, has] of [
        ['sftpfour', 'proved', 1, true],
        ['sftpfive', 'proved', 0, false],
        ['sftpsix', 'unproved', 1, false],
      ] as const) {
        await shared.admin.send('PATCH', '/api/plans/pro', { shells_limit: limit })
        const brought = await bring(username, shell, proof === 'proved' ? {} : { proof })
        expect([username, logins(username)?.shell ?? false]).toEqual([username, has])
        const note = JSON.stringify(brought.body.data).includes('It had a shell')
        expect([username, note]).toEqual([username, !has])
        await removed(brought)
      }
      await shared.admin.send('PATCH', '/api/plans/pro', { shells_limit: 0 })
      for (const bad of [
        { public_key: `command="id" ${PUBLIC_KEY}` },
        { public_key: `${PUBLIC_KEY}\n${PUBLIC_KEY}` },
        { name: 'a\nb' },
        { expires_at: 'never' },
      ]) {
        const told = { ...sftp, keys: [{ ...sftp.keys[0], ...bad }] }
        expect([bad, (await bring('sftpbad', told)).status]).toEqual([bad, 409])
      }
    })

    test('takes over which addresses reach databases, where it is proved who says so', async () => {
      const told = ['203.0.113.7', '2001:db8:1::/48', '0.0.0.0/0'].map((address) => ({
        ...{ address, note: 'office' },
      }))
      const bring = async (username: string, change: Partial<ArchiveFacts> = {}) => {
        const archive = archiveOf(username, change)
        const record = { ...newRecord(username).record, ...archive.facts.record }
        const facts = {
          ...archive.facts,
          record: { ...record, database_addresses: told } as ArchiveFacts['record'],
        }
        const path = `/root/${username}.tar.gz`
        archives().set(path, { ...archive, facts })
        return shared.admin.post('/api/backups/imports', { path, sha256: SHA256, unproved: true })
      }
      const { addresses } = shared.instance.host.databaseRemote
      // The license of these tests allows few domains.
      const removed = async (answer: Answer): Promise<void> => {
        const { account } = answer.body.data as { account: { id: number } }
        await shared.admin.del(`/api/accounts/${account.id}`)
      }
      const good = await bring('addrone')
      expect(addresses.get('addrone')).toEqual(['2001:db8:1::/48', '203.0.113.7'])
      expect(JSON.stringify(good.body.data)).toContain('0.0.0.0/0')
      await removed(good)
      const doubtful = await bring('addrtwo', { proof: 'unproved' })
      expect(addresses.get('addrtwo')).toBe(undefined)
      expect(JSON.stringify(doubtful.body.data)).toContain('3 addresses that might reach')
      await removed(doubtful)
    })

    test('takes over applications without starting them, and says what is left to do', async () => {
      const application = {
        ...{ name: 'shop', folder: 'apps/shop', runtime_kind: 'node', runtime_version: null },
        ...{ source_url: 'https://example.com/team/shop.git', source_branch: 'main' },
        ...{ install_command: null, build_command: null, start_command: 'node server.js' },
        ...{ public_folder: '', shared_paths: [], source_push: false },
        ...{ environment: { MODE: 'live' }, listen: 'socket', health_path: '/' },
        ...{
          start_limit_secs: 60,
          restart: 'always',
          instances: 2,
          memory_mb: null,
          cpu_percent: null,
          sleep_after_secs: null,
        },
      }
      const keys = [{ name: 'ci', public_key: PUBLIC_KEY, expires_at: null, access: 'write' }]
      const bring = async (username: string, change: object = {}, proof?: 'unproved') => {
        const archive = archiveOf(username, proof === undefined ? {} : { proof })
        const record = { ...newRecord(username).record, ...archive.facts.record }
        const domains = [{ domain_name: `${username}.example`, paths: ['/shop'] }]
        const facts = {
          ...archive.facts,
          record: { ...record, applications: [{ ...application, keys: [], domains, ...change }] },
        }
        const path = `/root/${username}.tar.gz`
        archives().set(path, { ...archive, facts: facts as ArchiveFacts })
        return shared.admin.post('/api/backups/imports', { path, sha256: SHA256, unproved: true })
      }
      const { host } = shared.instance
      const idOf = (answer: Answer) => (answer.body.data as { account: { id: number } }).account.id
      const good = await bring('appone')
      expect(JSON.stringify(good.body.data)).toContain('The application shop does not run')
      const shown = await shared.admin.get(`/api/applications/${idOf(good)}/shop`)
      expect(shown.body.data).toMatchObject({
        environment: { MODE: 'live' },
        source_url: 'https://example.com/team/shop.git',
        state: 'stopped',
        domains: [{ domain_name: 'appone.example', paths: ['/shop'] }],
      })
      expect(host.webServer.hosts.get('appone.example')?.application?.name).toBe('shop')
      await shared.admin.del(`/api/accounts/${idOf(good)}`)
      const doubtful = await bring('apptwo', {}, 'unproved')
      expect(host.webServer.hosts.get('apptwo.example')?.application).toBeUndefined()
      await shared.admin.del(`/api/accounts/${idOf(doubtful)}`)
      const pushed = { source_push: true, source_url: null, keys }
      const bound = await bring('appfive', pushed)
      expect(host.sftp.logins.get('appfive')).toMatchObject({
        repositoryKeys: [{ publicKey: PUBLIC_KEY, repository: { name: 'shop', access: 'push' } }],
        git: true,
      })
      await shared.admin.del(`/api/accounts/${idOf(bound)}`)
      const unproved = await bring('appsix', pushed, 'unproved')
      expect(host.sftp.logins.get('appsix')).not.toHaveProperty('repositoryKeys')
      expect(JSON.stringify(unproved.body.data)).toContain('1 SSH keys were left out')
      await shared.admin.del(`/api/accounts/${idOf(unproved)}`)
      const lacking = await bring('appthree', { runtime_version: '1.2.3' })
      expect(JSON.stringify(lacking.body.data)).toContain('shop was not taken over')
      await shared.admin.del(`/api/accounts/${idOf(lacking)}`)
      for (const bad of [{ start_command: 'a\nb' }, { source_url: 'file:///etc' }]) {
        const refused = await bring('appfour', bad)
        expect(refused.body.error).toContain('the application shop')
      }
    })

    test('takes an unproved archive only when it is told to, and its number never', async () => {
      archives().set('/root/eve.tar.gz', archiveOf('eve', { proof: 'unproved', hasSecrets: false }))
      const asked = { path: '/root/eve.tar.gz' }
      const refused = await shared.admin.post('/api/backups/imports', asked)
      expect([refused.status, refused.headers.get('x-error-field')]).toEqual([409, 'unproved'])
      const wrong = { ...asked, unproved: true, sha256: 'b'.repeat(64) }
      expect((await shared.admin.post('/api/backups/imports', wrong)).status).toBe(409)
      const taken = await shared.admin.post('/api/backups/imports', { ...asked, unproved: true })
      expect([taken.status, taken.body.error]).toEqual([200, undefined])
      const { account } = taken.body.data as { account: { id: number } }
      await shared.admin.del(`/api/accounts/${account.id}`)
    })

    test('an archive of version 1 needs what it does not tell', async () => {
      archives().set(
        '/root/old.tar.gz',
        archiveOf('old1', { ...OLD, databases: [], databaseUsers: [] }),
      )
      const asked = { path: '/root/old.tar.gz', unproved: true }
      const more = {
        domain: 'old1.example',
        email: 'old@example.com',
        plan: 'free',
        password: 'a password 1',
      }
      const seen = await shared.admin.post('/api/backups/imports/inspect', {
        path: '/root/old.tar.gz',
      })
      expect(seen.body.data).toMatchObject({
        archived: null,
        missing: ['domain', 'email', 'plan'],
        collisions: [],
      })
      for (const [field] of [['domain'], ['email'], ['plan']] as const) {
        const { [field]: _without, ...rest } = more
        const answer = await shared.admin.post('/api/backups/imports', { ...asked, ...rest })
        expect([field, answer.status]).toEqual([field, 400])
      }
      const { status, body } = await shared.admin.post('/api/backups/imports', {
        ...asked,
        ...more,
      })
      expect([status, body.error]).toEqual([200, undefined])
      const { account } = body.data as { account: { id: number } }
      await shared.admin.del(`/api/accounts/${account.id}`)
    })

    test.each([
      ['email', { account: { email: 'x\ny' } }],
      ['plan', { account: { plan: '../x' } }],
      ['disk_quota_mb', { account: { disk_quota_mb: -1 } }],
      ['name', { domain: { domain_name: 'a b; {}' } }],
      ['name', { domain: { domain_name: 'com' } }],
      ['root', { domain: { document_root: '../../etc' } }],
      ['root', { domain: { document_root: 'logs' } }],
      ['exclude', { domain: { cache_exclude: ['x\n'] } }],
      ['cookies', { domain: { cache_bypass_cookies: ['a b'] } }],
      ['application', { domain: { cache_application: '../x' } }],
      ['PHP', { domain: { php_version: '8.2; x' } }],
      ['uppercase primary', { domain: { domain_type: 'primary', domain_name: 'two.example' } }],
    ] as const)('a record whose %s the API would not take leaves nothing', async (_what, bad) => {
      const archive = archiveOf('mallory')
      const { record } = archive.facts
      const [first, ...rest] = record?.domains ?? []
      if (record === null || first === undefined) throw new Error('a record without a domain')
      const account = { ...record.account, ...('account' in bad ? bad.account : {}) }
      const extra = { ...first, domain_type: 'addon' as const, domain_name: 'mallory2.example' }
      const domains =
        'domain' in bad ? [first, ...rest, { ...extra, ...bad.domain } as typeof first] : [first]
      archives().set('/root/bad.tar.gz', {
        ...archive,
        facts: { ...archive.facts, record: { ...record, account, domains } },
      })
      const { status } = await shared.admin.post('/api/backups/imports', {
        path: '/root/bad.tar.gz',
      })
      expect([400, 409]).toContain(status)
      const list = await shared.admin.get('/api/accounts?q=mallory')
      expect(list.body.data).toEqual([])
      expect([...shared.instance.host.users.made.keys()]).not.toContain('mallory')
    })

    test('backups of a deleted account bring it back, and are never those of a later namesake', async () => {
      const first = await createAccount(shared.admin, 'frank')
      const made = await shared.admin.post(`/api/backups/accounts/${first.id}`)
      const { filename } = made.body.data as { filename: string }
      await shared.admin.del(`/api/accounts/${first.id}`)
      const gone = await shared.admin.get('/api/backups/deleted-accounts')
      expect(gone.body.data).toEqual([
        {
          account_id: first.id,
          username: 'frank',
          backups: 1,
          snapshots: 0,
          newest_at: expect.any(String) as string,
        },
      ])
      const second = await createAccount(shared.admin, 'frank')
      expect(second.id).not.toBe(first.id)
      const frank = await accountClient(shared.instance, 'frank')
      for (const client of [frank, shared.admin]) {
        expect((await client.get(`/api/backups/accounts/${second.id}`)).body.data).toEqual([])
        const path = `/api/backups/accounts/${second.id}/restore/${filename}`
        expect((await client.post(path)).status).toBe(404)
      }
      expect((await frank.get(`/api/backups/accounts/${first.id}`)).status).toBe(404)
      archives().set(`local/${filename}`, archiveOf('frank'))
      const source = { account_id: first.id, filename }
      expect(await problemsOf(source)).toContain('account frank already')
      await shared.admin.del(`/api/accounts/${second.id}`)
      const { status, body } = await shared.admin.post('/api/backups/imports', source)
      expect([status, body.error]).toEqual([200, undefined])
      const { account } = body.data as { account: { id: number } }
      // They stay the administrator's.
      expect((await shared.admin.get(`/api/backups/accounts/${account.id}`)).body.data).toEqual([])
    })

    test('tells before an import which PHP versions are not here', async () => {
      const old = archiveOf('erin')
      const { record } = old.facts
      if (record === null) throw new Error('an archive without a record')
      const domains = record.domains.map((one) => ({ ...one, php_version: '5.6' }))
      archives().set(OLD_PATH, { ...old, facts: { ...old.facts, record: { ...record, domains } } })
      const inspected = await shared.admin.post('/api/backups/imports/inspect', { path: OLD_PATH })
      const { notes } = inspected.body.data as { notes: string[] }
      expect(notes).toContain(
        'PHP 5.6 of erin.example is not installed here; it runs the default version.',
      )
      archives().delete(OLD_PATH)
    })
  })
}
