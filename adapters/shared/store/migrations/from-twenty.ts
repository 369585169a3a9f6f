import type { Migration } from './migration.ts'

/** Versions 20 to 34. */
export const FROM_TWENTY: readonly Migration[] = [
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
  {
    version: 27,
    statements: [
      `CREATE TABLE sftp_logins (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        host_id TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL,
        login TEXT NOT NULL,
        began_at TEXT NOT NULL,
        ended_at TEXT,
        address TEXT,
        way TEXT NOT NULL,
        key_name TEXT,
        fingerprint TEXT,
        changes INTEGER NOT NULL,
        received_bytes INTEGER NOT NULL,
        sent_bytes INTEGER NOT NULL
      )`,
      `CREATE INDEX sftp_logins_by_account ON sftp_logins (account_id, began_at)`,
      `CREATE INDEX sftp_logins_by_version ON sftp_logins (version)`,
      `ALTER TABLE ssh_keys ADD COLUMN last_used_at TEXT`,
    ],
  },
  {
    version: 28,
    statements: [
      `CREATE TABLE database_users (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        engine TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (engine, name)
      )`,
      `CREATE INDEX database_users_by_account ON database_users (account_id)`,
      `CREATE TABLE database_grants (
        user_id INTEGER NOT NULL REFERENCES database_users (id) ON DELETE CASCADE,
        database_id INTEGER NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
        rights TEXT NOT NULL,
        PRIMARY KEY (user_id, database_id)
      )`,
      `CREATE INDEX database_grants_by_database ON database_grants (database_id)`,
      `ALTER TABLE plans ADD COLUMN database_users_limit INTEGER NOT NULL DEFAULT 5`,
      `UPDATE plans SET database_users_limit = 25 WHERE name = 'pro'`,
      `UPDATE plans SET database_users_limit = 100 WHERE name = 'business'`,
    ],
  },
  { version: 29, statements: [`ALTER TABLE metrics ADD COLUMN disk_used_mb REAL`] },
  {
    version: 30,
    statements: [`ALTER TABLE domains ADD COLUMN default_host INTEGER NOT NULL DEFAULT 0`],
  },
  {
    version: 31,
    statements: [
      `ALTER TABLE plans ADD COLUMN mails_per_hour_limit INTEGER NOT NULL DEFAULT 100`,
      `UPDATE plans SET mails_per_hour_limit = 500 WHERE name = 'pro'`,
      `UPDATE plans SET mails_per_hour_limit = 2000 WHERE name = 'business'`,
    ],
  },
  {
    version: 32,
    statements: [
      `CREATE TABLE persons (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        email TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        password_hash TEXT NOT NULL,
        not_before_secs INTEGER NOT NULL,
        last_account_id INTEGER,
        created_at TEXT NOT NULL
      )`,
      `CREATE TABLE members (
        person_id INTEGER NOT NULL REFERENCES persons (id),
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        role TEXT NOT NULL,
        not_before_secs INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        PRIMARY KEY (person_id, account_id)
      ) WITHOUT ROWID`,
      `CREATE INDEX members_by_account ON members (account_id)`,
      `CREATE TABLE invitations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        email TEXT NOT NULL,
        role TEXT NOT NULL,
        token_hash TEXT NOT NULL UNIQUE,
        invited_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        UNIQUE (account_id, email)
      )`,
      // Of a person's: the account that it works in.
      `ALTER TABLE api_tokens ADD COLUMN account_id INTEGER`,
      `ALTER TABLE sessions ADD COLUMN account_id INTEGER`,
      `ALTER TABLE plans ADD COLUMN people_limit INTEGER NOT NULL DEFAULT 5`,
      `UPDATE plans SET people_limit = 25 WHERE name = 'pro'`,
      `UPDATE plans SET people_limit = 100 WHERE name = 'business'`,
    ],
  },
  {
    version: 33,
    statements: [
      `CREATE TABLE resellers (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        username TEXT NOT NULL UNIQUE,
        password_hash TEXT NOT NULL,
        status TEXT NOT NULL,
        suspend_reason TEXT,
        accounts_limit INTEGER,
        domains_limit INTEGER,
        databases_limit INTEGER,
        disk_limit_mb INTEGER,
        bandwidth_limit_mb INTEGER,
        not_before_secs INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      )`,
      `CREATE TABLE reseller_plans (
        reseller_id INTEGER NOT NULL REFERENCES resellers (id),
        plan TEXT NOT NULL,
        PRIMARY KEY (reseller_id, plan)
      ) WITHOUT ROWID`,
      `ALTER TABLE accounts ADD COLUMN reseller_id INTEGER REFERENCES resellers (id)`,
      `ALTER TABLE accounts ADD COLUMN suspended_with_reseller INTEGER NOT NULL DEFAULT 0`,
      `CREATE INDEX accounts_by_reseller ON accounts (reseller_id)`,
      `ALTER TABLE sessions ADD COLUMN via_role TEXT`,
      `ALTER TABLE jobs ADD COLUMN reseller_id INTEGER`,
      `ALTER TABLE audit ADD COLUMN reseller_id INTEGER`,
      `CREATE INDEX audit_by_reseller ON audit (reseller_id, id)`,
      `CREATE TABLE database_sizes (
        database_id INTEGER NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
        day TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        PRIMARY KEY (database_id, day)
      )`,
      `CREATE INDEX database_sizes_by_day ON database_sizes (day)`,
    ],
  },
  {
    version: 34,
    statements: [
      `CREATE TABLE sftp_users (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        name TEXT NOT NULL UNIQUE,
        folder TEXT NOT NULL,
        passwords INTEGER NOT NULL,
        read_only INTEGER NOT NULL,
        created_at TEXT NOT NULL
      )`,
      `CREATE INDEX sftp_users_by_account ON sftp_users (account_id)`,
      // Anew: a key may open an account and users of it.
      `CREATE TABLE ssh_keys_new (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        account_id INTEGER NOT NULL REFERENCES accounts (id),
        sftp_user_id INTEGER REFERENCES sftp_users (id),
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        public_key TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        expires_at TEXT,
        created_at TEXT NOT NULL,
        last_used_at TEXT
      )`,
      `INSERT INTO ssh_keys_new SELECT id, account_id, NULL, name, type, public_key, fingerprint,
        expires_at, created_at, last_used_at FROM ssh_keys`,
      `DROP TABLE ssh_keys`,
      `ALTER TABLE ssh_keys_new RENAME TO ssh_keys`,
      `CREATE UNIQUE INDEX ssh_keys_once
        ON ssh_keys (account_id, ifnull(sftp_user_id, 0), fingerprint)`,
      `CREATE INDEX ssh_keys_by_user ON ssh_keys (sftp_user_id)`,
      `ALTER TABLE plans ADD COLUMN sftp_users_limit INTEGER NOT NULL DEFAULT 3`,
      `UPDATE plans SET sftp_users_limit = 10 WHERE name = 'pro'`,
      `UPDATE plans SET sftp_users_limit = 50 WHERE name = 'business'`,
    ],
  },
]
