import Database from 'better-sqlite3'

/**
 * Writes many accounts (`u1`, `u2`, …, or with another prefix) with domains, databases, certificates and
 * backups straight into a store's file, for lists that a test or a measurement
 * needs long. The host knows nothing of them.
 */
export const fillStore = (
  file: string,
  {
    accounts,
    domainsOfEach,
    prefix = 'u',
  }: { accounts: number; domainsOfEach: number; prefix?: string },
): void => {
  const db = new Database(file, { timeout: 5000 })
  try {
    const NOW = '2026-11-22 00:00:00'
    const account = db.prepare(
      `insert into accounts (username, primary_domain, email, plan, status, suspend_reason,
        disk_quota_mb, bandwidth_quota_mb, disk_used_mb, password_hash, uid, home, php_version,
        php_mode, not_before_secs, created_at, updated_at, bandwidth_used_bytes, bandwidth_month)
       values (@name, @domain, @email, @plan, @status, null, 500, 10000, @used, 'x', null, @home,
        null, 'fpm', 0, @now, @now, @sent, '2026-11')`,
    )
    const domain = db.prepare(
      `insert into domains (account_id, domain_name, reversed_name, domain_type, document_root,
        ssl_status, ssl_expires_at, php_version, cache_enabled, cache_ttl, cache_exclude,
        created_at, updated_at)
       values (@account, @name, @reversed, @type, @root, @ssl, null, null, @cache, null, '[]', @now, @now)`,
    )
    const database = db.prepare(
      `insert into databases (account_id, engine, database_name, database_user, host, created_at)
       values (@account, 'mariadb', @name, @name, 'localhost', @now)`,
    )
    const certificate = db.prepare(
      `insert into certificates (domain, account_id, source, version, san, subject, issuer, serial,
        issued_at, expires_at, certificate_file, key_file, chain_file, webroot, forced, last_error)
       values (@name, @account, 'acme', 'v', '[]', 'CN=x', 'CN=authority', 'ff', @now,
        '2027-02-01 00:00:00', '/c', '/k', '/h', null, 0, null)`,
    )
    const person = db.prepare(
      `insert into persons (email, name, password_hash, not_before_secs, created_at)
       values (@email, @name, 'x', 0, @now)`,
    )
    const member = db.prepare(
      `insert into members (person_id, account_id, role, not_before_secs, created_at)
       values (@person, @account, 'reader', 0, @now)`,
    )
    const reseller = db.prepare(
      `insert into resellers (username, password_hash, status, not_before_secs, created_at, updated_at)
       values (@name, 'x', 'active', 0, @now, @now)`,
    )
    const plans = ['free', 'pro', 'business']
    db.transaction(() => {
      for (let at = 1; at <= accounts; at++) {
        const name = `${prefix}${at}`
        const first = `${name}.example`
        const { lastInsertRowid: id } = account.run({
          name,
          domain: first,
          email: `post@${first}`,
          plan: plans[at % 3],
          status: at % 10 === 0 ? 'suspended' : 'active',
          used: (at * 7919) % 500,
          sent: (at * 104_729) % 10_000_000_000,
          home: `/home/${name}`,
          now: NOW,
        })
        for (let nth = 0; nth < domainsOfEach; nth++) {
          const own = nth === 0 ? first : `site${nth}.${first}`
          domain.run({
            account: id,
            name: own,
            reversed: `${own.split('.').reverse().join('.')}.`,
            type: nth === 0 ? 'primary' : 'subdomain',
            root: `/home/${name}/site${nth}`,
            ssl: nth === 0 ? 'active' : 'none',
            cache: nth % 2,
            now: NOW,
          })
        }
        const email = `person@${first}`
        const { lastInsertRowid: personId } = person.run({ email, name, now: NOW })
        member.run({ person: personId, account: id, now: NOW })
        if (at % 10 === 0) reseller.run({ name: `r${name}`, now: NOW })
        database.run({ account: id, name: `${name}_shop`, now: NOW })
        certificate.run({ account: id, name: first, now: NOW })
      }
    })()
  } finally {
    db.close()
  }
}
