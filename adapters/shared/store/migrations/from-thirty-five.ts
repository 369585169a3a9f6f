import type { Migration } from './migration.ts'

/** Versions from 35 on: a new one goes to the end. */
export const FROM_THIRTY_FIVE: readonly Migration[] = [
  {
    version: 35,
    statements: [
      `CREATE TABLE notifications (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        about_id INTEGER,
        kind TEXT NOT NULL,
        message TEXT NOT NULL,
        severity TEXT NOT NULL,
        rank INTEGER NOT NULL,
        trouble TEXT,
        data TEXT NOT NULL,
        shown INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        read_at TEXT,
        resolved_at TEXT,
        mail_at_secs INTEGER,
        mail_tries INTEGER NOT NULL DEFAULT 0,
        hook TEXT NOT NULL
      )`,
      `CREATE INDEX notifications_by_owner ON notifications (role, owner_id, created_at)`,
      `CREATE UNIQUE INDEX notifications_standing ON notifications (trouble, role, owner_id)
        WHERE trouble IS NOT NULL AND resolved_at IS NULL`,
      `CREATE INDEX notifications_mails ON notifications (mail_at_secs)
        WHERE mail_at_secs IS NOT NULL`,
      `CREATE INDEX notifications_hooks ON notifications (role, owner_id) WHERE hook = 'due'`,
      `CREATE TABLE notification_persons (
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        chosen TEXT NOT NULL,
        email TEXT,
        language TEXT,
        mail_hour_secs INTEGER NOT NULL,
        mails_sent INTEGER NOT NULL,
        PRIMARY KEY (role, owner_id)
      ) WITHOUT ROWID`,
      `CREATE TABLE notification_webhooks (
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        url TEXT NOT NULL,
        secret TEXT NOT NULL,
        created_at TEXT NOT NULL,
        tries INTEGER NOT NULL,
        next_at_secs INTEGER NOT NULL,
        PRIMARY KEY (role, owner_id)
      ) WITHOUT ROWID`,
      `CREATE TABLE notification_deliveries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        notification_id INTEGER,
        at TEXT NOT NULL,
        status INTEGER,
        error TEXT,
        duration_ms INTEGER NOT NULL
      )`,
      `CREATE INDEX notification_deliveries_by_owner ON notification_deliveries (role, owner_id)`,
      `CREATE TABLE login_places (
        role TEXT NOT NULL,
        owner_id INTEGER NOT NULL,
        place TEXT NOT NULL,
        language TEXT,
        last_at TEXT NOT NULL,
        PRIMARY KEY (role, owner_id, place)
      ) WITHOUT ROWID`,
    ],
  },
  {
    version: 36,
    statements: [
      `ALTER TABLE plans ADD COLUMN shells_limit INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE sftp_access ADD COLUMN shell INTEGER NOT NULL DEFAULT 0`,
    ],
  },
  {
    version: 37,
    statements: [
      `CREATE TABLE database_addresses (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        address TEXT NOT NULL,
        note TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (account_id, address)
      )`,
      `ALTER TABLE plans ADD COLUMN database_addresses_limit INTEGER NOT NULL DEFAULT 3`,
      `UPDATE plans SET database_addresses_limit = 10 WHERE name = 'pro'`,
      `UPDATE plans SET database_addresses_limit = 50 WHERE name = 'business'`,
    ],
  },
  {
    version: 38,
    statements: [`ALTER TABLE certificates ADD COLUMN challenge TEXT`],
  },
  {
    version: 39,
    // Counted in mebibytes until here; what accounts use is counted anew anyway.
    statements: [
      `UPDATE metrics SET disk_used_mb = disk_used_mb * 1.048576 WHERE disk_used_mb IS NOT NULL`,
    ],
  },
  {
    version: 40,
    // Nothing that fitted before is ended by the upgrade of a usual site: four full processes.
    statements: [
      `ALTER TABLE plans ADD COLUMN memory_total_mb INTEGER NOT NULL DEFAULT 2048`,
      `UPDATE plans SET memory_total_mb = 4 * memory_limit_mb`,
      `ALTER TABLE plans ADD COLUMN cpu_weight INTEGER NOT NULL DEFAULT 100`,
      `ALTER TABLE plans ADD COLUMN cpu_percent INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE plans ADD COLUMN io_weight INTEGER NOT NULL DEFAULT 100`,
    ],
  },
  { version: 41, statements: [`ALTER TABLE certificates ADD COLUMN renewal TEXT`] },
  {
    version: 42,
    statements: [
      `ALTER TABLE sftp_logins ADD COLUMN kind TEXT`,
      `ALTER TABLE sftp_logins ADD COLUMN failures INTEGER NOT NULL DEFAULT 0`,
    ],
  },
  {
    version: 43,
    statements: [
      `CREATE TABLE applications (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        name TEXT NOT NULL,
        folder TEXT NOT NULL,
        runtime_kind TEXT NOT NULL,
        runtime_version TEXT,
        install_command TEXT,
        build_command TEXT,
        start_command TEXT NOT NULL,
        environment TEXT NOT NULL,
        listen TEXT NOT NULL,
        health_path TEXT,
        start_limit_secs INTEGER NOT NULL,
        restart TEXT NOT NULL,
        memory_mb INTEGER,
        sleep_after_secs INTEGER,
        desired TEXT NOT NULL,
        revision INTEGER NOT NULL,
        live_revision INTEGER,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (account_id, name)
      )`,
      `CREATE TABLE deployments (
        id TEXT PRIMARY KEY,
        application_id INTEGER NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
        source TEXT NOT NULL,
        "commit" TEXT,
        state TEXT NOT NULL,
        who TEXT NOT NULL,
        created_at TEXT NOT NULL,
        started_at TEXT,
        ended_at TEXT,
        problem TEXT,
        output TEXT NOT NULL
      )`,
      `CREATE INDEX deployments_open ON deployments (created_at) WHERE ended_at IS NULL`,
      `CREATE INDEX deployments_by_application ON deployments (application_id, created_at)`,
      `ALTER TABLE domains ADD COLUMN application_id INTEGER
        REFERENCES applications (id) ON DELETE SET NULL`,
      `ALTER TABLE domains ADD COLUMN application_paths TEXT`,
      `CREATE INDEX domains_by_application ON domains (application_id)
        WHERE application_id IS NOT NULL`,
      `ALTER TABLE plans ADD COLUMN applications_limit INTEGER NOT NULL DEFAULT 2`,
      `UPDATE plans SET applications_limit = 10 WHERE name = 'pro'`,
      `UPDATE plans SET applications_limit = 50 WHERE name = 'business'`,
    ],
  },
  {
    version: 46,
    statements: [
      `ALTER TABLE applications ADD COLUMN source_url TEXT`,
      `ALTER TABLE applications ADD COLUMN source_branch TEXT`,
      `ALTER TABLE applications ADD COLUMN release TEXT`,
      `ALTER TABLE deployments ADD COLUMN release TEXT`,
    ],
  },
  {
    version: 47,
    statements: [
      `ALTER TABLE applications ADD COLUMN public_folder TEXT NOT NULL DEFAULT ''`,
      `ALTER TABLE applications ADD COLUMN shared_paths TEXT NOT NULL DEFAULT '[]'`,
      `ALTER TABLE applications ADD COLUMN site_root TEXT`,
    ],
  },
  {
    version: 48,
    statements: [
      `ALTER TABLE applications ADD COLUMN source_push INTEGER NOT NULL DEFAULT 0`,
      `CREATE TABLE application_hooks (
        application_id INTEGER PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
        id TEXT NOT NULL UNIQUE,
        secret TEXT NOT NULL,
        created_at TEXT NOT NULL
      )`,
    ],
  },
  {
    version: 53,
    statements: [
      `ALTER TABLE login_failures ADD COLUMN attempt TEXT NOT NULL DEFAULT ''`,
      `ALTER TABLE login_failures ADD COLUMN open_until_secs INTEGER NOT NULL DEFAULT 0`,
      `CREATE INDEX login_failures_by_attempt ON login_failures (attempt)`,
    ],
  },
  { version: 54, statements: [`ALTER TABLE applications ADD COLUMN cpu_percent INTEGER`] },
  {
    version: 55,
    statements: [`ALTER TABLE applications ADD COLUMN instances INTEGER NOT NULL DEFAULT 1`],
  },
  {
    version: 56,
    statements: [
      `ALTER TABLE ssh_keys ADD COLUMN application_id INTEGER REFERENCES applications (id)`,
      `ALTER TABLE ssh_keys ADD COLUMN access TEXT`,
      `CREATE INDEX ssh_keys_by_application ON ssh_keys (application_id)`,
    ],
  },
  {
    version: 57,
    statements: [
      `CREATE TABLE hosts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL,
        address TEXT NOT NULL,
        link_id TEXT NOT NULL UNIQUE,
        certificate TEXT,
        join_key TEXT,
        join_until_secs INTEGER,
        state TEXT NOT NULL,
        weight INTEGER NOT NULL DEFAULT 1,
        created_at TEXT NOT NULL
      )`,
    ],
  },
  {
    version: 58,
    statements: [
      `CREATE TABLE leases (
        subject TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        term INTEGER NOT NULL UNIQUE,
        until_ms INTEGER NOT NULL,
        urgent_by TEXT NOT NULL,
        urgent_until_ms INTEGER NOT NULL
      )`,
      `CREATE TABLE instances (id TEXT PRIMARY KEY, seen_at_ms INTEGER NOT NULL)`,
    ],
  },
  { version: 59, statements: [`ALTER TABLE jobs ADD COLUMN instance TEXT`] },
  {
    version: 60,
    statements: [
      `ALTER TABLE accounts ADD COLUMN host_id INTEGER NOT NULL DEFAULT 0`,
      `CREATE INDEX accounts_by_host ON accounts (host_id)`,
      `ALTER TABLE backups ADD COLUMN host_id INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE hosts ADD COLUMN seen_secs INTEGER`,
      `ALTER TABLE hosts ADD COLUMN misses INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE hosts ADD COLUMN disk_free_percent INTEGER`,
      `ALTER TABLE hosts ADD COLUMN php_versions TEXT NOT NULL DEFAULT '[]'`,
      `UPDATE hosts SET name = 'local-' || id WHERE name = 'local'`,
      `INSERT INTO hosts (id, name, role, address, link_id, state, weight, created_at)
        VALUES (0, 'local', 'host', '', '', 'open', 1, datetime('now'))`,
    ],
  },
  {
    version: 61,
    statements: [
      `CREATE TABLE link_panels (
        id TEXT PRIMARY KEY,
        certificate TEXT NOT NULL,
        key TEXT NOT NULL,
        since_version INTEGER NOT NULL,
        created_at TEXT NOT NULL
      )`,
      `CREATE TABLE link_trust (version INTEGER NOT NULL)`,
      `INSERT INTO link_trust (version) VALUES (0)`,
      `ALTER TABLE hosts ADD COLUMN trust_version INTEGER NOT NULL DEFAULT 0`,
    ],
  },
  {
    version: 62,
    statements: [
      `ALTER TABLE jobs ADD COLUMN started_by TEXT`,
      `CREATE INDEX jobs_open ON jobs (started_by) WHERE finished_at IS NULL`,
      `CREATE TABLE rate_events (key TEXT NOT NULL, at_secs INTEGER NOT NULL)`,
      `CREATE INDEX rate_events_by_key ON rate_events (key, at_secs)`,
      `CREATE TABLE panel_names (name TEXT PRIMARY KEY, seen_secs INTEGER NOT NULL)`,
    ],
  },
  {
    version: 63,
    // Anew: each machine has its own.
    statements: [
      `CREATE TABLE metrics_new (
        host_id INTEGER NOT NULL DEFAULT 0,
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
        disk_used_mb REAL,
        PRIMARY KEY (host_id, step_secs, at_secs)
      ) WITHOUT ROWID`,
      `INSERT INTO metrics_new SELECT 0, step_secs, at_secs, cpu_percent, memory_used_mb,
        memory_total_mb, load_1, load_5, load_15, requests_per_sec, hits_per_sec, lookups_per_sec,
        disk_used_mb FROM metrics`,
      `DROP TABLE metrics`,
      `ALTER TABLE metrics_new RENAME TO metrics`,
    ],
  },
  {
    version: 64,
    statements: [
      `CREATE TABLE account_copies (
        username TEXT NOT NULL,
        host_id INTEGER NOT NULL,
        until_secs INTEGER NOT NULL,
        leads TEXT NOT NULL,
        PRIMARY KEY (username, host_id)
      )`,
    ],
  },
  {
    version: 65,
    statements: [
      `CREATE TABLE panel_invitations (hash TEXT PRIMARY KEY, until_secs INTEGER NOT NULL)`,
      `ALTER TABLE instances ADD COLUMN name TEXT NOT NULL DEFAULT ''`,
      `ALTER TABLE instances ADD COLUMN version TEXT NOT NULL DEFAULT ''`,
      `ALTER TABLE instances ADD COLUMN beside_host INTEGER NOT NULL DEFAULT 1`,
    ],
  },
  {
    version: 66,
    statements: [`ALTER TABLE hosts ADD COLUMN next_certificate TEXT`],
  },
  {
    version: 67,
    statements: [
      `CREATE TABLE channel_machines (
        host_id INTEGER PRIMARY KEY,
        certificate TEXT NOT NULL,
        address TEXT
      )`,
    ],
  },
  { version: 68, statements: [`ALTER TABLE deployments ADD COLUMN instance TEXT`] },
]
