import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import { archiveOf } from '#test/contract/backups/archive-of.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { newAccount } from '#test/contract/frame/api-instance.ts'
import type { FakeArchive } from '#test/fakes/backups/fake-imports.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import {
  account,
  addBackup,
  addCertificate,
  addDatabase,
  addDatabaseUser,
  addDomain,
  addSnapshot,
  database,
  databaseAddress,
  databaseUser,
  domain,
  everything,
  must,
  provision,
} from './preparations.ts'
import { applicationCases } from './application-cases.ts'
import type { State } from './state-of.ts'

/** A request that is carried out in several steps. */
export interface CrashCase {
  name: string
  /** Kinds of operations that it opens, in order. Empty: what it does is the host's own to settle. */
  kinds: string[]
  prepare(admin: ApiClient): Promise<void>
  method: string
  /** `{filename}` stands for the newest backup's, `{snapshot}` for the id of the newest snapshot. */
  path: string
  body?: unknown
  /** What the fake host finds in the newest backup. */
  archive?: FakeArchive
  /** Version that every WordPress has before it. */
  wordpress?: string
  /** Likewise of every plugin. */
  plugin?: string
  /** Whether it can be followed as a job. */
  job?: true
  /** Parts of the state that may be done while the rest is not: each is an operation by itself. */
  apart?: (keyof State)[]
}

/** An archive of alice whose only site did something else than now. */
const settingsArchive = (): FakeArchive => {
  const { facts, secrets } = archiveOf('alice')
  const { record } = newRecord('alice')
  const site = { ...usualSiteSettings(), deny: ['192.0.2.9'] }
  const domains = record.domains.map((one) => ({ ...one, cache_ttl: 77, site }))
  return { secrets, facts: { ...facts, record: { ...record, domains } } }
}

const newWordpress = (directory: string) => ({
  ...{ domain: 'alice.example', directory, title: 'Alice', admin_user: 'chief' },
  ...{ admin_email: 'chief@alice.example', admin_password: 'a long password' },
})

/** Addresses from which databases may be reached. */
const databaseAddressCases = (): CrashCase[] => [
  {
    name: 'database_address.create',
    kinds: ['database_address.create'],
    prepare: account,
    method: 'POST',
    path: '/api/database-addresses',
    body: databaseAddress('203.0.113.7'),
  },
  {
    name: 'database_address.delete',
    kinds: ['database_address.delete'],
    prepare: async (admin) => {
      await account(admin)
      for (const address of ['203.0.113.7', '2001:db8:1::/48'])
        await must(admin.post('/api/database-addresses', databaseAddress(address)))
    },
    method: 'DELETE',
    path: '/api/database-addresses/1/1',
  },
]

/** What is done with further users of databases, and with the one that a database was made with. */
const databaseUserCases = (): CrashCase[] => {
  const withDatabase = async (admin: ApiClient) => {
    await account(admin)
    await addDatabase(admin)
  }
  const withUser = async (admin: ApiClient) => {
    await withDatabase(admin)
    await addDatabaseUser(admin)
  }
  const path = '/api/database-users/1/reader'
  return [
    {
      name: 'database_user.create',
      kinds: ['database_user.create'],
      prepare: withDatabase,
      method: 'POST',
      path: '/api/database-users',
      body: databaseUser('reader', 'read'),
    },
    {
      name: 'database_user.grants',
      kinds: ['database_user.grants'],
      prepare: withUser,
      method: 'PATCH',
      path,
      body: { databases: [{ database: 'a', rights: 'write' }] },
    },
    {
      name: 'database_user.rename of a further user',
      kinds: ['database_user.rename'],
      prepare: withUser,
      method: 'PATCH',
      path,
      body: { name: 'clerk' },
    },
    {
      name: 'database_user.rename of the one that a database was made with',
      kinds: ['database_user.rename'],
      prepare: withUser,
      method: 'PATCH',
      path: '/api/databases/1/a',
      body: { db_user: 'owner' },
    },
    {
      name: 'database_user.delete',
      kinds: ['database_user.delete'],
      prepare: withUser,
      method: 'DELETE',
      path,
    },
  ]
}

/** Every operation of several steps, for each kind that the journal knows. */
export const crashCases = (): CrashCase[] => {
  const uploaded = makeCertificate({ names: ['alice.example'] })
  return [
    {
      name: 'account.create',
      kinds: ['account.create'],
      prepare: async () => undefined,
      method: 'POST',
      path: '/api/accounts',
      body: newAccount('alice'),
      job: true,
    },
    {
      name: 'account.delete',
      kinds: ['account.delete'],
      prepare: everything,
      method: 'DELETE',
      path: '/api/accounts/1',
      job: true,
    },
    {
      name: 'account.delete of a suspended account, with a final backup',
      kinds: ['backup.create', 'account.delete'],
      async prepare(admin) {
        await account(admin)
        await addDatabase(admin)
        await must(admin.post('/api/accounts/1/suspend'))
      },
      method: 'DELETE',
      path: '/api/accounts/1?backup=true',
      apart: ['backups'],
    },
    {
      name: 'account.suspend',
      kinds: ['account.suspend'],
      prepare: everything,
      method: 'POST',
      path: '/api/accounts/1/suspend',
      body: { reason: 'unpaid' },
    },
    {
      name: 'account.unsuspend',
      kinds: ['account.unsuspend'],
      async prepare(admin) {
        await everything(admin)
        await must(admin.post('/api/accounts/1/suspend'))
      },
      method: 'POST',
      path: '/api/accounts/1/unsuspend',
    },
    {
      name: 'account.quota',
      kinds: ['account.quota'],
      prepare: account,
      method: 'PATCH',
      path: '/api/accounts/1',
      body: { plan: 'pro', email: 'new@alice.example' },
    },
    {
      name: 'account.limits of the accounts of a plan',
      kinds: ['account.limits'],
      prepare: account,
      method: 'PATCH',
      path: '/api/plans/free',
      body: { disk_quota_mb: 600, processes_limit: 60 },
    },
    {
      name: 'domain.create of a subdomain',
      kinds: ['domain.create'],
      prepare: account,
      method: 'POST',
      path: '/api/domains',
      body: domain('www.alice.example', 'subdomain', 'www'),
    },
    {
      name: 'domain.create of an alias',
      kinds: ['domain.create'],
      prepare: account,
      method: 'POST',
      path: '/api/domains',
      body: domain('other.example', 'alias', 'public_html'),
    },
    {
      name: 'domain.change',
      kinds: ['domain.change'],
      prepare: async (admin) => {
        await account(admin)
        await addDomain(admin)
        await addCertificate(admin, 'shop.example')
      },
      method: 'PATCH',
      path: '/api/domains/2',
      body: { cache_ttl: 60, hsts: true, redirect_https: false, document_root: '/home/alice/new' },
    },
    {
      name: 'domain.site',
      kinds: ['domain.site'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.send('PATCH', '/api/domains/1/site', { www: 'with' }))
      },
      method: 'PATCH',
      path: '/api/domains/1/site',
      body: { www: 'both', deny: ['192.0.2.9'], index: ['start.html'] },
    },
    {
      name: 'domain.delete',
      kinds: ['domain.delete'],
      prepare: async (admin) => {
        await account(admin)
        await addDomain(admin)
        await addCertificate(admin, 'shop.example')
      },
      method: 'DELETE',
      path: '/api/domains/2',
    },
    {
      name: 'database.create',
      kinds: ['database.create'],
      prepare: account,
      method: 'POST',
      path: '/api/databases',
      body: database('b'),
    },
    {
      name: 'database.delete',
      kinds: ['database.delete'],
      prepare: async (admin) => {
        await account(admin)
        await addDatabase(admin)
      },
      method: 'DELETE',
      path: '/api/databases/1/a',
    },
    ...databaseUserCases(),
    ...databaseAddressCases(),
    ...applicationCases(),
    {
      name: 'wordpress.update',
      // The backup stays, whatever becomes of the update.
      kinds: ['snapshot.create', 'wordpress.update'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.post('/api/wordpress/1', newWordpress('blog')))
      },
      method: 'POST',
      path: '/api/wordpress/1/update',
      body: { path: 'public_html/blog' },
      job: true,
      wordpress: '5.9',
      apart: ['snapshots'],
    },
    {
      name: 'wordpress.extension',
      kinds: ['snapshot.create', 'wordpress.extension'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.post('/api/wordpress/1', newWordpress('blog')))
      },
      method: 'POST',
      path: '/api/wordpress/1/updates',
      body: { path: 'public_html/blog' },
      job: true,
      plugin: '4.0',
      apart: ['snapshots'],
    },
    {
      name: 'wordpress.copy',
      kinds: ['wordpress.copy'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.post('/api/wordpress/1', newWordpress('blog')))
      },
      method: 'POST',
      path: '/api/wordpress/1/staging',
      body: { path: 'public_html/blog', domain: 'alice.example', directory: 'staging' },
      job: true,
    },
    {
      name: 'wordpress.copy with a domain of its own',
      kinds: ['wordpress.copy', 'domain.create'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.post('/api/wordpress/1', newWordpress('blog')))
      },
      method: 'POST',
      path: '/api/wordpress/1/staging',
      body: { path: 'public_html/blog', domain: 'staging.alice.example' },
      job: true,
    },
    {
      name: 'wordpress.push',
      // The backup stays, whatever becomes of the push.
      kinds: ['snapshot.create', 'wordpress.push'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.post('/api/wordpress/1', newWordpress('blog')))
        const copy = { path: 'public_html/blog', domain: 'alice.example', directory: 'staging' }
        await must(admin.post('/api/wordpress/1/staging', copy))
      },
      method: 'POST',
      path: '/api/wordpress/1/push',
      body: { path: 'public_html/staging' },
      job: true,
      apart: ['snapshots'],
    },
    {
      name: 'wordpress.install',
      kinds: ['wordpress.install'],
      prepare: account,
      method: 'POST',
      path: '/api/wordpress/1',
      body: newWordpress('blog'),
      job: true,
    },
    {
      name: 'php.configure',
      kinds: ['php.configure'],
      prepare: account,
      method: 'POST',
      path: '/api/php/version/1',
      body: { version: '8.1', mode: 'cgi' },
    },
    {
      name: 'certificate.install by an order',
      kinds: ['certificate.install'],
      prepare: account,
      method: 'POST',
      path: '/api/ssl/provision',
      body: provision('alice.example'),
      job: true,
    },
    {
      name: 'certificate.install by a renewal',
      kinds: ['certificate.install', 'certificate.prune'],
      prepare: async (admin) => {
        await account(admin)
        await addCertificate(admin, 'alice.example')
      },
      method: 'GET',
      path: '/api/ssl/renew/alice.example',
      job: true,
    },
    {
      name: 'certificate.install in place of another',
      kinds: ['certificate.install', 'certificate.prune'],
      prepare: async (admin) => {
        await account(admin)
        await addCertificate(admin, 'alice.example')
      },
      method: 'POST',
      path: '/api/ssl/upload',
      body: {
        domain: 'alice.example',
        certificate: uploaded.certificate,
        private_key: uploaded.key,
      },
    },
    {
      name: 'certificate.remove',
      kinds: ['certificate.remove'],
      prepare: async (admin) => {
        await account(admin)
        await addCertificate(admin, 'alice.example')
      },
      method: 'DELETE',
      path: '/api/ssl/certificate/alice.example',
    },
    {
      name: 'backup.create',
      kinds: ['backup.create'],
      prepare: account,
      method: 'POST',
      path: '/api/backups/accounts/1',
      job: true,
    },
    {
      name: 'backup.upload',
      kinds: ['backup.create', 'backup.upload'],
      prepare: account,
      method: 'POST',
      path: '/api/backups/accounts/1',
      body: { target: 'far' },
      job: true,
      apart: ['backups'],
    },
    {
      name: 'restore of a backup',
      kinds: [],
      prepare: async (admin) => {
        await account(admin)
        await addDatabase(admin)
        await addBackup(admin)
      },
      method: 'POST',
      path: '/api/backups/accounts/1/restore/{filename}',
      body: { what: 'all' },
      job: true,
    },
    {
      name: 'backup.delete',
      kinds: ['backup.delete'],
      prepare: async (admin) => {
        await account(admin)
        await addBackup(admin)
      },
      method: 'DELETE',
      path: '/api/backups/accounts/1/{filename}',
    },
    {
      name: 'backup.settings',
      // Settings are brought back as by hand, each in an operation by itself.
      kinds: ['backup.settings', 'domain.change', 'domain.site'],
      prepare: async (admin) => {
        await account(admin)
        await must(admin.send('PATCH', '/api/domains/1/site', { www: 'with' }))
        await addBackup(admin)
      },
      method: 'POST',
      path: '/api/backups/accounts/1/restore/{filename}',
      body: { what: 'settings' },
      job: true,
      archive: settingsArchive(),
    },
    {
      name: 'snapshot.create',
      kinds: ['snapshot.create'],
      prepare: account,
      method: 'POST',
      path: '/api/backups/snapshots/accounts/1',
      body: {},
      job: true,
    },
    {
      name: 'snapshot.delete',
      kinds: ['snapshot.delete'],
      prepare: async (admin) => {
        await account(admin)
        await addSnapshot(admin)
      },
      method: 'DELETE',
      path: '/api/backups/snapshots/accounts/1/{snapshot}',
      job: true,
    },
  ]
}
