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
]
