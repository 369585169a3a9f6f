import type { Migration } from './migration.ts'

/** Versions 10 to 19. */
export const TEN_TO_NINETEEN: readonly Migration[] = [
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
]
