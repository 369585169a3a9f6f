import type Database from 'better-sqlite3'

/** Migrations in order; `user_version` counts those applied. Never edit one, only append. */
const MIGRATIONS: readonly string[] = [
  `create table accounts (
     username text primary key,
     uid integer not null,
     gid integer not null,
     home text not null unique,
     state text not null check (state in ('creating', 'ready', 'removing')),
     suspended integer not null default 0,
     suspend_memory text,
     php_version text,
     php_mode text not null default 'fpm',
     disk_quota_mb integer not null
   ) strict;
   create table vhosts (
     domain text primary key,
     username text not null,
     spec text not null
   ) strict;
   create index vhosts_username on vhosts (username);
   create table databases (
     engine text not null,
     name text not null,
     user text not null,
     username text not null,
     locked integer not null default 0,
     primary key (engine, name),
     unique (engine, user)
   ) strict;
   create index databases_username on databases (username);
   create table operations (
     seq integer primary key autoincrement,
     id text not null,
     kind text not null,
     subject text not null,
     state text not null check (state in ('open', 'done', 'undone')),
     steps text not null default '[]',
     data text not null default '{}',
     result text,
     at_secs integer not null,
     unique (id, kind, subject)
   ) strict;
   create index operations_open on operations (state, kind);
   create table refused_operations (id text primary key, at_secs integer not null) strict;
   create table counters (name text primary key, value integer not null) strict;`,
  `create table certificates (domain text primary key, username text) strict;
   create index certificates_username on certificates (username);`,
  `alter table accounts add column processes_limit integer;
   alter table accounts add column memory_limit_mb integer;`,
  `create table database_users (
     engine text not null,
     user text not null,
     username text not null,
     locked integer not null default 0,
     grants text not null,
     primary key (engine, user)
   ) strict;
   create index database_users_username on database_users (username);`,
  `create table database_addresses (
     username text not null,
     address text not null,
     primary key (username, address)
   ) strict;`,
  `alter table accounts add column memory_total_mb integer not null default 0;
   alter table accounts add column cpu_weight integer not null default 100;
   alter table accounts add column cpu_percent integer not null default 0;
   alter table accounts add column io_weight integer not null default 100;`,
  `create table applications (
     username text not null,
     name text not null,
     spec text not null,
     secrets text not null,
     wanted text not null check (wanted in ('running', 'stopped')),
     primary key (username, name)
   ) strict;`,
  `alter table applications add column live text;`,
  `create table calls (
     id text primary key,
     method text not null,
     operation_id text,
     state text not null check (state in ('running', 'answered', 'cut-off', 'refused')),
     answer text,
     at_secs integer not null
   ) strict;
   create index calls_at_secs on calls (at_secs);`,
  'create table removals (username text primary key, at_secs integer not null) strict;',
  `create table terms (subject text primary key, term integer not null) strict;
   create index terms_term on terms (term);`,
  'create table front_sites (domain text primary key, site text not null) strict;',
]

/** Brings the registry's tables up to date in one transaction. */
export const migrateRegistry = (db: Database.Database): void => {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > MIGRATIONS.length)
    throw new Error(
      `The registry was written by a newer version (schema ${version}, this one knows ${MIGRATIONS.length}). Start that version, or restore an older registry.`,
    )
  db.transaction(() => {
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  }).immediate()
}
