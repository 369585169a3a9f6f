import type { Migration } from './migration.ts'

// AUTOINCREMENT: the id of a deleted row must never come back, tokens and journal entries name it.
/** The schema of the first release, and what came to it until version 9. */
export const ONE_TO_NINE: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
      `CREATE TABLE admins (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        username TEXT NOT NULL UNIQUE,
        password_hash TEXT NOT NULL,
        not_before_secs INTEGER NOT NULL,
        created_at TEXT NOT NULL
      )`,
      `CREATE TABLE accounts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        username TEXT NOT NULL UNIQUE,
        primary_domain TEXT NOT NULL,
        email TEXT NOT NULL,
        plan TEXT NOT NULL,
        status TEXT NOT NULL,
        suspend_reason TEXT,
        disk_quota_mb INTEGER NOT NULL,
        bandwidth_quota_mb INTEGER NOT NULL,
        disk_used_mb INTEGER NOT NULL,
        password_hash TEXT NOT NULL,
        uid INTEGER,
        home TEXT,
        php_version TEXT,
        php_mode TEXT NOT NULL,
        not_before_secs INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      )`,
      `CREATE TABLE domains (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        domain_name TEXT NOT NULL UNIQUE,
        reversed_name TEXT NOT NULL,
        domain_type TEXT NOT NULL,
        document_root TEXT NOT NULL,
        ssl_status TEXT NOT NULL,
        ssl_expires_at TEXT,
        php_version TEXT,
        cache_enabled INTEGER NOT NULL,
        cache_ttl INTEGER,
        cache_exclude TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      )`,
      `CREATE INDEX domains_by_account ON domains (account_id)`,
      `CREATE INDEX domains_by_reversed_name ON domains (reversed_name)`,
      `CREATE TABLE databases (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        engine TEXT NOT NULL,
        database_name TEXT NOT NULL,
        database_user TEXT NOT NULL,
        host TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (engine, database_name),
        UNIQUE (engine, database_user)
      )`,
      `CREATE INDEX databases_by_account ON databases (account_id)`,
      `CREATE TABLE operations (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        state TEXT NOT NULL,
        steps TEXT NOT NULL,
        data TEXT NOT NULL,
        created_at TEXT NOT NULL
      )`,
      `CREATE INDEX operations_open ON operations (created_at) WHERE state = 'open'`,
      `CREATE TABLE revoked_tokens (
        jti TEXT PRIMARY KEY,
        expires_at_secs INTEGER NOT NULL
      ) WITHOUT ROWID`,
      `CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at_secs)`,
      `CREATE TABLE login_failures (key TEXT NOT NULL, at_secs INTEGER NOT NULL)`,
      `CREATE INDEX login_failures_by_key ON login_failures (key, at_secs)`,
      `CREATE INDEX login_failures_by_time ON login_failures (at_secs)`,
    ],
  },
  {
    version: 2,
    statements: [
      `ALTER TABLE accounts ADD COLUMN bandwidth_used_bytes INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE accounts ADD COLUMN bandwidth_month TEXT NOT NULL DEFAULT ''`,
      `ALTER TABLE accounts ADD COLUMN bandwidth_state TEXT NOT NULL DEFAULT 'open'`,
    ],
  },
  {
    version: 3,
    statements: [
      `ALTER TABLE domains ADD COLUMN hsts INTEGER NOT NULL DEFAULT 0`,
      `CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        account_id INTEGER,
        state TEXT NOT NULL,
        progress INTEGER NOT NULL,
        step TEXT,
        detail TEXT,
        result TEXT,
        error TEXT,
        status INTEGER,
        created_at TEXT NOT NULL,
        started_at TEXT,
        finished_at TEXT,
        change INTEGER NOT NULL
      )`,
      `CREATE UNIQUE INDEX jobs_by_change ON jobs (change)`,
      `CREATE INDEX jobs_by_time ON jobs (created_at)`,
      `CREATE INDEX jobs_by_account ON jobs (account_id, created_at)`,
      `CREATE INDEX operations_by_job ON operations (json_extract(data, '$.job_id')) WHERE json_extract(data, '$.job_id') IS NOT NULL`,
    ],
  },
  {
    version: 4,
    statements: [
      // Without a reference: the backups of an account outlive it.
      `CREATE TABLE backups (
        account_id INTEGER NOT NULL,
        username TEXT NOT NULL,
        filename TEXT NOT NULL,
        location TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        databases TEXT NOT NULL,
        created_at TEXT NOT NULL,
        PRIMARY KEY (filename, location)
      ) WITHOUT ROWID`,
      `CREATE INDEX backups_by_account ON backups (account_id)`,
    ],
  },
  {
    version: 5,
    statements: [
      `ALTER TABLE admins ADD COLUMN status TEXT NOT NULL DEFAULT 'active'`,
      `CREATE TABLE api_tokens (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        token_hash TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        scopes TEXT NOT NULL,
        expires_at TEXT,
        last_used_at TEXT,
        created_at TEXT NOT NULL,
        UNIQUE (role, owner_id, name)
      )`,
      `CREATE TABLE second_factors (
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        secret TEXT NOT NULL,
        confirmed INTEGER NOT NULL,
        last_step INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        PRIMARY KEY (role, owner_id)
      ) WITHOUT ROWID`,
      `CREATE TABLE recovery_codes (
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        code_hash TEXT NOT NULL,
        PRIMARY KEY (role, owner_id, code_hash)
      ) WITHOUT ROWID`,
      `CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        actor TEXT,
        role TEXT,
        via TEXT,
        action TEXT NOT NULL,
        summary TEXT NOT NULL,
        target TEXT NOT NULL,
        address TEXT NOT NULL,
        status INTEGER NOT NULL,
        result TEXT NOT NULL
      )`,
      `CREATE INDEX audit_by_time ON audit (at)`,
      `CREATE INDEX audit_by_role ON audit (role, id)`,
    ],
  },
  {
    version: 7,
    statements: [
      `ALTER TABLE domains ADD COLUMN redirect_https INTEGER NOT NULL DEFAULT 0`,
      `CREATE TABLE certificates (
        domain TEXT PRIMARY KEY,
        account_id INTEGER REFERENCES accounts (id),
        source TEXT NOT NULL,
        version TEXT NOT NULL,
        san TEXT NOT NULL,
        subject TEXT NOT NULL,
        issuer TEXT NOT NULL,
        serial TEXT NOT NULL,
        issued_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        certificate_file TEXT NOT NULL,
        key_file TEXT NOT NULL,
        chain_file TEXT NOT NULL,
        webroot TEXT,
        forced INTEGER NOT NULL,
        last_error TEXT
      ) WITHOUT ROWID`,
      `CREATE INDEX certificates_by_account ON certificates (account_id)`,
    ],
  },
  {
    version: 8,
    statements: [
      `ALTER TABLE backups ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE backups ADD COLUMN skipped_paths TEXT NOT NULL DEFAULT '[]'`,
    ],
  },
  {
    version: 9,
    statements: [
      `ALTER TABLE domains ADD COLUMN cache_bypass_cookies TEXT`,
      `ALTER TABLE domains ADD COLUMN cache_ignore_params TEXT`,
      `ALTER TABLE domains ADD COLUMN cache_mobile_variant INTEGER`,
      `CREATE TABLE cache_samples (
        domain_id INTEGER NOT NULL,
        at TEXT NOT NULL,
        hits INTEGER NOT NULL,
        misses INTEGER NOT NULL,
        bypasses INTEGER NOT NULL,
        PRIMARY KEY (domain_id, at)
      ) WITHOUT ROWID`,
      `CREATE INDEX cache_samples_by_time ON cache_samples (at)`,
    ],
  },
]
