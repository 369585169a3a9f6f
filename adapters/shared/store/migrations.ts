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
  {
    version: 10,
    statements: [
      `CREATE TABLE metrics (
        step_secs INTEGER NOT NULL,
        at_secs INTEGER NOT NULL,
        cpu_percent REAL,
        memory_used_mb REAL,
        memory_total_mb REAL,
        load_1 REAL,
        load_5 REAL,
        load_15 REAL,
        requests_per_sec REAL,
        hits_per_sec REAL,
        lookups_per_sec REAL,
        PRIMARY KEY (step_secs, at_secs)
      ) WITHOUT ROWID`,
    ],
  },
  {
    version: 12,
    // What lists are sorted by: with these a page of 50,000 domains needs no sorting.
    statements: [
      `CREATE INDEX accounts_by_domain ON accounts (primary_domain)`,
      `CREATE INDEX accounts_by_status ON accounts (status)`,
      // All that a search looks at, in the order that it answers in.
      `CREATE INDEX domains_searched ON domains (domain_name, document_root, account_id)`,
      `CREATE INDEX domains_by_type ON domains (domain_type)`,
      `CREATE INDEX domains_by_ssl ON domains (ssl_status)`,
      `CREATE INDEX domains_by_root ON domains (document_root)`,
      `CREATE INDEX domains_by_time ON domains (created_at)`,
      `CREATE INDEX backups_by_time ON backups (account_id, created_at)`,
    ],
  },
  {
    version: 13,
    // What hooks and webhooks are still to be told.
    statements: [
      `CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        ending TEXT NOT NULL,
        subject TEXT NOT NULL,
        data TEXT NOT NULL,
        tries TEXT NOT NULL,
        next_at_secs INTEGER NOT NULL
      )`,
      `CREATE INDEX events_by_turn ON events (next_at_secs, id)`,
    ],
  },
  {
    version: 14,
    statements: [
      `ALTER TABLE domains ADD COLUMN cache_harmless_cookies TEXT NOT NULL DEFAULT '[]'`,
      `ALTER TABLE domains ADD COLUMN cache_session_cookies TEXT NOT NULL DEFAULT '[]'`,
      `ALTER TABLE domains ADD COLUMN cache_application TEXT`,
      `ALTER TABLE domains ADD COLUMN cache_fills TEXT NOT NULL DEFAULT 'visitor'`,
    ],
  },
  {
    version: 15,
    statements: [
      // Nobody had chosen it: it was what a site began with.
      `UPDATE domains SET cache_fills = 'auto' WHERE cache_fills = 'visitor'`,
    ],
  },
  {
    version: 16,
    statements: [
      `CREATE TABLE plans (
        name TEXT PRIMARY KEY,
        disk_quota_mb INTEGER NOT NULL,
        bandwidth_quota_mb INTEGER NOT NULL,
        domains_limit INTEGER NOT NULL,
        databases_limit INTEGER NOT NULL,
        tokens_limit INTEGER NOT NULL,
        backups_limit INTEGER NOT NULL,
        processes_limit INTEGER NOT NULL,
        memory_limit_mb INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) WITHOUT ROWID`,
      `INSERT INTO plans VALUES
        ('free', 500, 10000, 5, 5, 5, 5, 50, 512, datetime('now'), datetime('now')),
        ('pro', 5000, 100000, 25, 25, 10, 20, 100, 2048, datetime('now'), datetime('now')),
        ('business', 50000, 1000000, 200, 200, 50, 60, 200, 8192, datetime('now'), datetime('now'))`,
      `CREATE INDEX accounts_by_plan ON accounts (plan)`,
      // The host does not know of processes and memory yet: it is told by what settles these.
      `INSERT INTO operations (id, kind, subject, state, steps, data, created_at)
        SELECT lower(hex(randomblob(16))), 'account.limits', username, 'open', '["host"]',
          json_object('account_id', id), datetime('now')
        FROM accounts WHERE status IN ('active', 'suspended')`,
    ],
  },
  {
    version: 17,
    statements: [
      // Who made those of before is not known: they count as their account's own.
      `ALTER TABLE backups ADD COLUMN scheduled INTEGER NOT NULL DEFAULT 0`,
    ],
  },
  {
    version: 18,
    statements: [
      // Without a reference: snapshots and proofs of an account outlive it.
      `CREATE TABLE snapshots (
        account_id INTEGER NOT NULL,
        username TEXT NOT NULL,
        location TEXT NOT NULL,
        id TEXT NOT NULL,
        created_at TEXT NOT NULL,
        scheduled INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        added_bytes INTEGER,
        files INTEGER NOT NULL,
        databases TEXT NOT NULL,
        unread INTEGER NOT NULL,
        PRIMARY KEY (location, id)
      ) WITHOUT ROWID`,
      `CREATE INDEX snapshots_by_account ON snapshots (account_id, created_at)`,
      `CREATE INDEX snapshots_by_place ON snapshots (username, location, created_at)`,
      `CREATE TABLE proofs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        account_id INTEGER NOT NULL,
        username TEXT NOT NULL,
        location TEXT NOT NULL,
        snapshot TEXT,
        filename TEXT,
        at TEXT NOT NULL,
        seconds REAL NOT NULL,
        ok INTEGER NOT NULL,
        figures TEXT NOT NULL,
        error TEXT
      )`,
      `CREATE INDEX proofs_by_kind ON proofs (kind, account_id, location, id)`,
    ],
  },
  {
    version: 19,
    // What became of accounts that an import of the panel left empty.
    statements: [
      `CREATE TABLE refills (
        import_id TEXT NOT NULL,
        account_id INTEGER NOT NULL,
        state TEXT NOT NULL,
        backup TEXT,
        location TEXT,
        backed_up_at TEXT,
        files INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        databases INTEGER NOT NULL,
        notes TEXT NOT NULL,
        ended_at TEXT NOT NULL,
        PRIMARY KEY (import_id, account_id)
      ) WITHOUT ROWID`,
    ],
  },
  {
    version: 20,
    statements: [
      `CREATE TABLE backup_schedules (
        scope TEXT NOT NULL,
        owner TEXT NOT NULL,
        schedule TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (scope, owner)
      ) WITHOUT ROWID`,
      `CREATE TABLE backup_runs (
        account_id INTEGER PRIMARY KEY,
        what TEXT NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        outcome TEXT NOT NULL,
        error TEXT,
        succeeded_at TEXT
      )`,
    ],
  },
  {
    version: 21,
    statements: [
      `CREATE TABLE cron_jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        name TEXT NOT NULL,
        schedule TEXT NOT NULL,
        time_zone TEXT NOT NULL,
        kind TEXT NOT NULL,
        command TEXT NOT NULL,
        enabled INTEGER NOT NULL,
        time_limit_secs INTEGER NOT NULL,
        overlap TEXT NOT NULL,
        notify_after INTEGER NOT NULL,
        next_at TEXT,
        failures INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      )`,
      `CREATE INDEX cron_jobs_by_account ON cron_jobs (account_id)`,
      `CREATE INDEX cron_jobs_due ON cron_jobs (next_at) WHERE enabled = 1`,
      `CREATE TABLE cron_runs (
        id TEXT PRIMARY KEY,
        job_id INTEGER NOT NULL REFERENCES cron_jobs (id) ON DELETE CASCADE,
        due_at TEXT NOT NULL,
        by_hand INTEGER NOT NULL,
        started_at TEXT,
        ended_at TEXT,
        outcome TEXT NOT NULL,
        code INTEGER,
        output TEXT NOT NULL
      )`,
      `CREATE INDEX cron_runs_by_job ON cron_runs (job_id, due_at)`,
      `CREATE INDEX cron_runs_open ON cron_runs (due_at) WHERE ended_at IS NULL`,
      `ALTER TABLE plans ADD COLUMN cron_jobs_limit INTEGER NOT NULL DEFAULT 5`,
      `UPDATE plans SET cron_jobs_limit = 25 WHERE name = 'pro'`,
      `UPDATE plans SET cron_jobs_limit = 100 WHERE name = 'business'`,
    ],
  },
  {
    version: 22,
    statements: [
      `CREATE TABLE site_settings (
        domain_id INTEGER PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
        settings TEXT NOT NULL
      )`,
    ],
  },
  {
    version: 23,
    statements: [
      `CREATE TABLE sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        jti TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        via_admin_id INTEGER,
        via_jti TEXT,
        issued_secs INTEGER NOT NULL,
        expires_at_secs INTEGER NOT NULL,
        began_at TEXT NOT NULL,
        seen_at TEXT NOT NULL,
        address TEXT NOT NULL,
        user_agent TEXT NOT NULL
      )`,
      `CREATE INDEX sessions_by_owner ON sessions (role, owner_id)`,
      `CREATE INDEX sessions_by_end ON sessions (expires_at_secs)`,
    ],
  },
  {
    version: 24,
    statements: [
      `CREATE TABLE figures_days (
        domain_id INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
        day TEXT NOT NULL,
        requests INTEGER NOT NULL,
        visitors INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        hits INTEGER NOT NULL,
        misses INTEGER NOT NULL,
        bot_requests INTEGER NOT NULL,
        bot_bytes INTEGER NOT NULL,
        details TEXT NOT NULL,
        sketch TEXT,
        PRIMARY KEY (domain_id, day)
      )`,
      `CREATE INDEX figures_days_open ON figures_days (day) WHERE sketch IS NOT NULL`,
      `CREATE INDEX figures_days_by_day ON figures_days (day)`,
    ],
  },
  {
    version: 25,
    statements: [
      `CREATE TABLE ssh_keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        public_key TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        expires_at TEXT,
        created_at TEXT NOT NULL,
        UNIQUE (account_id, fingerprint)
      )`,
      `CREATE TABLE sftp_access (
        account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
        passwords INTEGER NOT NULL
      )`,
      `ALTER TABLE plans ADD COLUMN ssh_keys_limit INTEGER NOT NULL DEFAULT 5`,
      `UPDATE plans SET ssh_keys_limit = 25 WHERE name = 'pro'`,
      `UPDATE plans SET ssh_keys_limit = 100 WHERE name = 'business'`,
    ],
  },
  {
    version: 26,
    statements: [
      `CREATE TABLE passkeys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        credential_id TEXT NOT NULL UNIQUE,
        public_key TEXT NOT NULL,
        counter INTEGER NOT NULL,
        transports TEXT NOT NULL,
        party TEXT NOT NULL,
        created_at TEXT NOT NULL,
        last_used_at TEXT
      )`,
      `CREATE INDEX passkeys_by_owner ON passkeys (role, owner_id)`,
    ],
  },
]
