import Database from 'better-sqlite3'

/**
 * Rows are long, as a message may have many recipients. What is asked for with each message,
 * and what looks at those of everybody, reads indexes alone: one account fills none of it up
 * to where the others wait.
 */
const SCHEMA = `
create table if not exists messages (
  id text primary key,
  account text not null,
  state text not null,
  sender text not null,
  from_address text not null,
  replaced_from text,
  recipients text not null,
  subject text not null,
  size integer not null,
  attempts integer not null default 0,
  created_at integer not null,
  next_at integer,
  ended_at integer,
  answer text,
  has_source integer not null
) strict;
create index if not exists due on messages (state, account, next_at);
create index if not exists of_account on messages (account, created_at);
create index if not exists ended on messages (ended_at) where ended_at is not null;
create index if not exists ended_of on messages (account, created_at desc, ended_at, id)
  where ended_at is not null;
create index if not exists newest on messages (created_at);
create index if not exists stored on messages (size) where has_source = 1;
create table if not exists usage (
  account text not null,
  minute integer not null,
  mails integer not null,
  primary key (account, minute)
) strict, without rowid;
create table if not exists limits (account text primary key, per_hour integer not null) strict;
create table if not exists main_domains (account text primary key, domain text not null) strict;
create table if not exists news (
  seq integer primary key autoincrement,
  at integer not null,
  kind text not null,
  account text not null,
  message text,
  told text not null
) strict;
`

/** The records of the queue, synced to disk with every change; locked for as long as they are open. */
export const openMailDatabase = (file: string): Database.Database => {
  const db = new Database(file, { timeout: 5000 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.exec(SCHEMA)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
