import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BackupRow, CertificateRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { sampled } from '#test/support/sampled.ts'
import { backupSchedulesStoreContract } from './store-backup-schedules.ts'
import { eventsStoreContract } from './store-events.ts'
import { notificationsStoreContract } from './store-notifications.ts'
import { loginAttemptsStoreContract } from './store-login-attempts.ts'
import { metricsStoreContract } from './store-metrics.ts'
import { hostsStoreContract } from '../hosts/store-hosts.ts'
import { leasesStoreContract } from '../jobs/store-leases.ts'
import { ratesStoreContract } from '../jobs/store-rates.ts'
import { refillsStoreContract } from './store-refills.ts'
import { applicationsStoreContract } from './store-applications.ts'
import { cronStoreContract } from './store-cron.ts'
import { databaseAddressesStoreContract } from './store-database-addresses.ts'
import { databaseUsersStoreContract } from './store-database-users.ts'
import { sftpStoreContract } from './store-sftp.ts'
import { plansStoreContract } from './store-plans.ts'
import { passkeysStoreContract } from './store-passkeys.ts'
import { sessionsStoreContract } from './store-sessions.ts'
import { siteSettingsStoreContract } from './store-site-settings.ts'
import { figuresStoreContract } from './store-figures.ts'
import { snapshotsStoreContract } from './store-snapshots.ts'
import { account, domain, NOW, operation, UNLIMITED } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const PARTS = [
  metricsStoreContract,
  eventsStoreContract,
  notificationsStoreContract,
  plansStoreContract,
  loginAttemptsStoreContract,
  sessionsStoreContract,
  passkeysStoreContract,
  cronStoreContract,
  applicationsStoreContract,
  siteSettingsStoreContract,
  figuresStoreContract,
  databaseUsersStoreContract,
  databaseAddressesStoreContract,
  sftpStoreContract,
  snapshotsStoreContract,
  ratesStoreContract,
  refillsStoreContract,
  hostsStoreContract,
  leasesStoreContract,
  backupSchedulesStoreContract,
]

/**
 * What every implementation of `Store` keeps to.
 *
 * @param keep how many of its parts are tried in one run, besides what all stand on; default: all
 */
export const storeContract = (
  label: string,
  create: () => Promise<StoreSubject>,
  { keep = PARTS.length }: { keep?: number } = {},
): void => {
  for (const part of sampled(`parts of the store on ${label}`, PARTS, { keep })) part(label, create)
  describe(`Store: ${label}`, () => {
    let subject: StoreSubject
    let store: Store
    const add = async (username: string, name = `${username}.example`) => {
      const made = await store.insertAccount(
        account(username),
        domain(name),
        operation(username),
        UNLIMITED,
      )
      if (typeof made === 'string') throw new Error(made)
      return made
    }
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    test('makes one first administrator, whoever else tries', async () => {
      expect(await store.setupDone()).toBe(false)
      const row = (username: string) => ({
        username,
        password_hash: 'hash',
        not_before_secs: 0,
        created_at: NOW,
      })
      const made = await Promise.all(
        ['a', 'b', 'c', 'd'].map((username) => store.createFirstAdmin(row(username))),
      )
      const winners = made.filter((admin) => admin !== null)
      expect(winners).toHaveLength(1)
      const [winner] = winners
      expect(await store.setupDone()).toBe(true)
      expect(await store.adminById(winner!.id)).toEqual(winner)
      expect(await store.adminByName(winner!.username)).toEqual(winner)
      expect(await store.adminByName('nobody')).toBeNull()
    })

    test('inserts account, domain and operation together', async () => {
      const made = await add('first')
      expect(made.account).toEqual({ id: made.account.id, ...account('first') })
      expect(made.domain).toEqual({
        id: made.domain.id,
        account_id: made.account.id,
        ...domain('first.example'),
      })
      expect(await store.accountById(made.account.id)).toEqual(made.account)
      expect(await store.accountByName('first')).toEqual(made.account)
      expect(await store.domainByName('first.example')).toEqual({
        ...made.domain,
        username: 'first',
      })
      const [opened] = await store.openOperations()
      expect(opened).toMatchObject({ subject: 'first', steps: [], data: { note: 'x' } })
    })

    test('answers why an account cannot be inserted, and leaves nothing of it', async () => {
      const operations = (await store.openOperations()).length
      const attempt = (
        username: string,
        name: string,
        limits: { accounts: number; domains: number } = UNLIMITED,
      ) => store.insertAccount(account(username), domain(name), operation(username), limits)
      expect(await attempt('first', 'other.example')).toBe('duplicate-username')
      expect(await attempt('second', 'first.example')).toBe('duplicate-domain')
      expect(await attempt('second', 'sub.first.example')).toBe('duplicate-domain')
      expect(await attempt('second', 'other.example', { accounts: 1, domains: -1 })).toBe(
        'account-limit',
      )
      expect(await attempt('second', 'other.example', { accounts: -1, domains: 1 })).toBe(
        'domain-limit',
      )
      expect(await store.countAccounts()).toBe(1)
      expect(await store.countDomains()).toBe(1)
      expect(await store.openOperations()).toHaveLength(operations)
    })

    test('parallel inserts stop exactly at the limit', async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.insertAccount(
            account(`crowd${index}`),
            domain(`crowd${index}.example`),
            operation(`crowd${index}`),
            { accounts: 5, domains: -1 },
          ),
        ),
      )
      expect(results.filter((result) => typeof result !== 'string')).toHaveLength(4)
      expect(results.filter((result) => result === 'account-limit')).toHaveLength(16)
      expect(await store.countAccounts()).toBe(5)
      for (const result of results) {
        if (typeof result !== 'string') await store.deleteAccount(result.account.id)
      }
      expect(await store.countDomains()).toBe(1)
    })

    test('changes the status only from where it is expected', async () => {
      const { account: row } = await add('mover')
      const first = operation('mover')
      expect(await store.transitAccount(row.id, ['active'], 'suspended', first)).toBe(false)
      const second = operation('mover')
      const change = { suspend_reason: 'unpaid', not_before_secs: 7 }
      expect(
        await store.transitAccount(row.id, ['creating', 'active'], 'suspended', second, change),
      ).toBe(true)
      expect(await store.accountById(row.id)).toMatchObject({ status: 'suspended', ...change })
      const open = (await store.openOperations()).map(({ id }) => id)
      expect(open).toContain(second.id)
      expect(open).not.toContain(first.id)
    })

    test('only one of parallel changes of the status wins', async () => {
      const { account: row } = await add('racer')
      const results = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.transitAccount(row.id, ['creating'], 'deleting', operation('racer')),
        ),
      )
      expect(results.filter(Boolean)).toHaveLength(1)
    })

    test('ids of deleted accounts never return', async () => {
      const { account: row } = await add('ghost')
      await store.deleteAccount(row.id)
      expect(await store.accountById(row.id)).toBeNull()
      expect((await store.listDomains({ accountId: row.id })).rows).toEqual([])
      expect((await add('ghost')).account.id).toBeGreaterThan(row.id)
    })

    test('updates what is named, and nothing for no change', async () => {
      const made = await add('changer')
      await store.updateAccount(made.account.id, { uid: 1001, home: '/home/changer' })
      await store.updateAccount(made.account.id, {})
      expect(await store.accountById(made.account.id)).toEqual({
        ...made.account,
        uid: 1001,
        home: '/home/changer',
      })
      await store.updateDomain(made.domain.id, { cache_enabled: false, cache_exclude: ['/b'] })
      expect(await store.domainById(made.domain.id)).toMatchObject({
        cache_enabled: false,
        cache_exclude: ['/b'],
        domain_name: 'changer.example',
      })
    })

    test('domains: owner rule, limit, relations', async () => {
      const owner = await add('owner', 'shop.owner.example')
      const row = (name: string, accountId = owner.account.id) => ({
        account_id: accountId,
        ...domain(name),
      })
      const other = await add('other', 'other-owner.example')
      const insert = (name: string, accountId?: number, limit = -1) =>
        store.insertDomain(row(name, accountId), operation('owner'), {
          total: limit,
          ofAccount: null,
        })
      expect(await insert('a.shop.owner.example')).toMatchObject({ account_id: owner.account.id })
      expect(await insert('owner.example')).toMatchObject({ domain_name: 'owner.example' })
      expect(await insert('shop.owner.example')).toBe('duplicate')
      expect(await insert('b.shop.owner.example', other.account.id)).toBe('duplicate')
      expect(await insert('xshop.owner.example', other.account.id)).toBe('duplicate')
      expect(await insert('more.example', undefined, 1)).toBe('limit')
      expect(await insert('notowner.example', other.account.id)).toMatchObject({})
      const related = await store.domainsRelatedTo('shop.owner.example')
      expect(related.map(({ domain_name }) => domain_name).sort()).toEqual([
        'a.shop.owner.example',
        'owner.example',
        'shop.owner.example',
      ])
      expect(await store.domainsRelatedTo('free.example')).toEqual([])
      const parent = await store.domainByName('owner.example')
      await store.deleteDomain(parent!.id)
      expect(await store.domainByName('owner.example')).toBeNull()
    })

    test('lists order, search and page', async () => {
      const all = await store.listAccounts({ sort: 'username', order: 'desc' })
      const names = all.rows.map(({ username }) => username)
      expect(names).toEqual([...names].sort().reverse())
      expect(all.total).toBe(names.length)
      const page = await store.listAccounts({ sort: 'username', page: 2, perPage: 2 })
      expect(page.rows.map(({ username }) => username)).toEqual([...names].sort().slice(2, 4))
      expect(page.total).toBe(names.length)
      expect((await store.listAccounts({ q: 'OWNER' })).rows).toHaveLength(1)
      for (const q of ['%', '_', "'", '\\', '"', '; DROP TABLE accounts']) {
        expect((await store.listAccounts({ q })).rows).toEqual([])
        expect((await store.listDomains({ q })).rows).toEqual([])
      }
      const domains = await store.listDomains({ sort: 'username', q: 'owner', perPage: 1 })
      expect(domains.rows).toHaveLength(1)
      expect(domains.total).toBe(4)
    })

    test('databases: names and users are unique per engine', async () => {
      const { account: row } = await add('dbowner')
      const database = (
        name: string,
        user: string,
        engine: 'mariadb' | 'postgresql' = 'mariadb',
      ) => ({
        account_id: row.id,
        engine,
        database_name: name,
        database_user: user,
        host: 'localhost',
        created_at: NOW,
      })
      const insert = (...input: Parameters<typeof database>) =>
        store.insertDatabase(database(...input), operation('dbowner'), null)
      const made = await insert('dbowner_a', 'dbowner_a')
      expect(made).toMatchObject({ database_name: 'dbowner_a' })
      expect(await insert('dbowner_a', 'dbowner_b')).toBe('duplicate')
      expect(await insert('dbowner_b', 'dbowner_a')).toBe('duplicate')
      expect(await insert('dbowner_a', 'dbowner_a', 'postgresql')).toMatchObject({})
      expect(await store.listDatabases(row.id)).toHaveLength(2)
      if (typeof made === 'string') throw new Error(made)
      await store.putDatabaseSizes('2026-11-01', [{ database_id: made.id, size_bytes: 7 }], '')
      await store.putDatabaseSizes('2026-11-02', [{ database_id: made.id, size_bytes: 9 }], '')
      const all = { q: 'DBOWNER_A', sort: 'size_bytes', order: 'desc', perPage: 1 } as const
      expect(await store.listAllDatabases(all)).toEqual({
        rows: [{ ...made, username: 'dbowner', size_bytes: 9 }],
        total: 2,
      })
      const postgres = { ...all, filters: { engine: 'postgresql' } }
      expect(await store.listAllDatabases(postgres)).toMatchObject({
        rows: [{ engine: 'postgresql', size_bytes: null }],
        total: 1,
      })
      expect((await store.listAllDatabases({ accountId: 0, resellerId: 1 })).total).toBe(0)
      await store.deleteDatabase(made.id)
      expect(await store.listDatabases(row.id)).toEqual([
        expect.objectContaining({ engine: 'postgresql' }),
      ])
    })

    test('backups are listed newest first, by place, and without their account', async () => {
      const backup = (filename: string, location: string, created_at: string): BackupRow => ({
        account_id: 4711,
        host_id: 0,
        username: 'backed',
        filename,
        location,
        size_bytes: 5_000_000_000,
        sha256: 'a'.repeat(64),
        databases: [{ engine: 'postgresql', database: 'backed_x' }],
        skipped: 2,
        skipped_paths: ['a', 'b"c'],
        scheduled: location !== 'local',
        created_at,
      })
      const older = backup('backed-20260101-000000.tar.gz', 'local', '2026-01-01 00:00:00')
      const newer = backup('backed-20260102-000000.tar.gz', 'local', '2026-01-02 00:00:00')
      const copy = { ...newer, location: 'away' }
      for (const row of [older, newer, copy, { ...copy, size_bytes: 1 }, copy])
        await subject.store.putBackup(row)
      const query = { accountId: 4711 }
      expect(await subject.store.listBackups(query)).toEqual({
        rows: [copy, newer, older],
        total: 3,
      })
      const page = await subject.store.listBackups({
        ...query,
        sort: 'created_at',
        order: 'asc',
        q: 'LOCAL',
        page: 2,
        perPage: 1,
      })
      expect(page).toEqual({ rows: [newer], total: 2 })
      await subject.store.deleteBackup(newer.filename, 'local')
      await subject.store.deleteBackup(newer.filename, 'local')
      expect((await subject.store.listBackups(query)).rows).toEqual([copy, older])
      expect((await subject.store.listBackups({ accountId: 1 })).rows).toEqual([])
    })

    test('certificates stand beside what their domains show of them', async () => {
      const { account: row, domain: site } = await add('certified')
      const certificate: CertificateRow = {
        domain: site.domain_name,
        account_id: row.id,
        source: 'acme',
        version: 'one',
        san: [site.domain_name, "it's.example"],
        subject: 'CN=certified.example',
        issuer: 'CN=Authority',
        serial: '0A',
        issued_at: NOW,
        expires_at: '2026-12-01 12:00:00',
        certificate_file: '/certs/one/certificate.pem',
        key_file: '/certs/one/key.pem',
        chain_file: '/certs/one/chain.pem',
        webroot: null,
        forced: true,
        challenge: 'dns-01',
        last_error: null,
        renewal: null,
      }
      const active = { id: site.id, ssl_status: 'active', ssl_expires_at: NOW } as const
      const none = { id: site.id, ssl_status: 'none', ssl_expires_at: null } as const
      await store.putCertificate(certificate, [active])
      expect(await store.certificateByDomain(site.domain_name)).toEqual(certificate)
      expect(await store.domainById(site.id)).toMatchObject(active)
      await store.putCertificate({ ...certificate, version: 'two', forced: false }, [active])
      await store.setCertificateError(site.domain_name, 'refused')
      expect(await store.listCertificates({ accountId: row.id })).toEqual({
        rows: [{ ...certificate, version: 'two', forced: false, last_error: 'refused' }],
        total: 1,
      })
      const renewal = { from: NOW, until: NOW, at: NOW, explanation_url: null }
      await store.setCertificateRenewal(site.domain_name, 'one', renewal)
      const kept = async () => (await store.certificateByDomain(site.domain_name))?.renewal
      expect(await kept()).toBeNull()
      await store.setCertificateRenewal(site.domain_name, 'two', renewal)
      expect(await kept()).toEqual(renewal)
      await store.setCertificateRenewal(site.domain_name, 'two', null)
      expect((await store.listCertificates({ q: "it's" })).total).toBe(1)
      expect((await store.listCertificates({ accountId: row.id + 1 })).rows).toEqual([])

      await store.updateDomain(site.id, { redirect_https: true })
      expect(await store.domainById(site.id)).toMatchObject({ redirect_https: true })
      await store.deleteCertificate(site.domain_name, [none])
      expect(await store.certificateByDomain(site.domain_name)).toBeNull()
      expect(await store.domainById(site.id)).toMatchObject(none)

      // With its domain, and with its account, a certificate goes too.
      await store.putCertificate(certificate, [active])
      await store.deleteDomain(site.id)
      expect(await store.certificateByDomain(site.domain_name)).toBeNull()
      await store.putCertificate(certificate, [])
      await store.deleteAccount(row.id)
      expect((await store.listCertificates()).total).toBe(0)
      await store.putCertificate({ ...certificate, account_id: null }, [])
      expect(await store.certificateByDomain(certificate.domain)).toMatchObject({
        account_id: null,
      })
      await store.deleteCertificate(certificate.domain, [])
    })

    test('traffic is summed by account and month, each batch with its name', async () => {
      const { id } = (await add('traffic', 'traffic.test')).account
      const used = async () => {
        const row = await store.accountById(id)
        return [row?.bandwidth_month, row?.bandwidth_used_bytes]
      }
      expect(await store.trafficBatch()).toBeNull()
      await store.addTraffic('first', '2026-11', { 'traffic.test': 5e9, 'unknown.test': 7 })
      expect(await store.trafficBatch()).toBe('first')
      await store.addTraffic('second', '2026-11', { 'traffic.test': 1 })
      expect(await used()).toEqual(['2026-11', 5e9 + 1])
      await store.addTraffic('third', '2026-12', { 'traffic.test': 3 })
      expect(await used()).toEqual(['2026-12', 3])
      // Two instances that both read it before either added it.
      const twice = () => store.addTraffic('fourth', '2026-12', { 'traffic.test': 4 })
      await Promise.all([twice(), twice()])
      expect(await used()).toEqual(['2026-12', 7])
      expect(await store.trafficBatch()).toBe('fourth')
    })

    test('the journal keeps steps in order until it is closed', async () => {
      const row = operation('journal')
      await store.openOperation(row)
      await store.recordStep(row.id, 'one')
      await store.recordStep(row.id, "it's two")
      const found = (await store.openOperations()).find(({ id }) => id === row.id)
      expect(found).toEqual({ ...row, steps: ['one', "it's two"] })
      await store.closeOperation(row.id, 'done')
      expect((await store.openOperations()).map(({ id }) => id)).not.toContain(row.id)
      // An end is one end, whoever finds another afterwards.
      await store.closeOperation(row.id, 'undone')
      expect(await store.endedOperations('undone', [row.kind], '')).toEqual([])
      expect(await store.endedOperations('done', [row.kind], '')).toMatchObject([{ id: row.id }])
    })
  })
}
