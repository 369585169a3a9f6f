import type { ArchiveFacts } from '#handlers/ports/host/backups/archived-records.ts'
import type { FakeArchive } from '#test/fakes/backups/fake-imports.ts'
import { newRecord } from './archived-record.ts'

export const SHA256 = 'a'.repeat(64)

/** An archive of an account with three domains, a certificate and a database. */
export const archiveOf = (username: string, change: Partial<ArchiveFacts> = {}): FakeArchive => {
  const { record, secrets } = newRecord(username)
  const [primary] = record.domains
  if (primary === undefined) throw new Error('a record without a domain')
  const shop = `shop.${username}.example`
  return {
    secrets,
    facts: {
      sha256: SHA256,
      sizeBytes: 1000,
      version: 2,
      madeBy: 'berth 1.0.0',
      username,
      createdAt: '2026-01-01 00:00:00',
      uid: 23_456,
      home: `/home/${username}`,
      uidIsFree: true,
      proof: 'own',
      keyId: '0123456789abcdef',
      hasSecrets: true,
      record: {
        ...record,
        account: { ...record.account, disk_quota_mb: 777 },
        certificates: [
          { domain: shop, source: 'acme', webroot: null, forced: false, challenge: null },
        ],
        domains: [
          { ...primary, cache_ttl: 60, cache_exclude: ['/cart/*'], cache_fills: 'neutral' },
          // Out of order: an alias needs its site.
          {
            ...primary,
            domain_name: `alias-${username}.example`,
            domain_type: 'alias',
            document_root: 'shop',
          },
          {
            ...primary,
            domain_name: shop,
            domain_type: 'subdomain',
            document_root: 'shop',
            redirect_https: true,
          },
        ],
      },
      databases: [
        {
          engine: 'mariadb',
          database: `${username}_shop`,
          user: `${username}_shopper`,
          sizeBytes: 10,
          hasPassword: true,
        },
      ],
      databaseUsers: [
        {
          engine: 'mariadb',
          user: `${username}_reader`,
          grants: [{ database: `${username}_shop`, rights: 'read' }],
        },
      ],
      homeEntries: 3,
      homeBytes: 30,
      formerHomes: [`/home/${username}`],
      configs: [{ path: 'public_html/wp-config.php', paths: 2 }],
      report: [],
      ...change,
    },
  }
}
