/** One version of the schema; its statements run once, in one transaction. Never edit one that was released. */
export interface Migration {
  version: number
  statements: readonly string[]
}

// AUTOINCREMENT: the id of a deleted row must never come back, tokens and journal entries name it.
export const MIGRATIONS: readonly Migration[] = [
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
]
