import type Database from 'better-sqlite3'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { RegisteredDatabase, Registry } from './types.ts'

type Hosting = Pick<
  Registry,
  | 'vhost'
  | 'vhosts'
  | 'vhostsOf'
  | 'changeVhosts'
  | 'replaceVhosts'
  | 'database'
  | 'databasesOf'
  | 'databases'
  | 'addDatabase'
  | 'removeDatabase'
  | 'setDatabaseLocked'
  | 'renameDatabaseOwner'
  | 'certificate'
  | 'certificatesOf'
  | 'certificates'
  | 'addCertificate'
  | 'removeCertificate'
>

interface DatabaseRow {
  engine: DatabaseEngine
  name: string
  user: string
  username: string
  locked: number
}

const fromRow = (row: DatabaseRow): RegisteredDatabase => ({
  engine: row.engine,
  database: row.name,
  user: row.user,
  username: row.username,
  locked: row.locked === 1,
})

/** Virtual hosts, databases and certificates over an opened and migrated registry database. */
export const createHostingRecords = (db: Database.Database): Hosting => {
  // Only this class of rows writes the column, so its JSON is a spec by construction.
  const toSpec = (row: { spec: string }): VirtualHostSpec => JSON.parse(row.spec) as VirtualHostSpec
  type Spec = { spec: string }
  const vhost = db.prepare<[string], Spec>('select spec from vhosts where domain = ?')
  const vhosts = db.prepare<[], Spec>('select spec from vhosts order by domain')
  const vhostsOf = db.prepare<[string], Spec>(
    'select spec from vhosts where username = ? order by domain',
  )
  const putVhost = db.prepare<[string, string, string]>(
    `insert into vhosts (domain, username, spec) values (?, ?, ?)
     on conflict (domain) do update set username = excluded.username, spec = excluded.spec`,
  )
  const removeVhost = db.prepare<[string]>('delete from vhosts where domain = ?')
  const clearVhosts = db.prepare('delete from vhosts')

  const database = db.prepare<[string, string], DatabaseRow>(
    'select * from databases where engine = ? and name = ?',
  )
  const databasesOf = db.prepare<[string], DatabaseRow>(
    'select * from databases where username = ? order by engine, name',
  )
  const databases = db.prepare<[], DatabaseRow>('select * from databases order by engine, name')
  const addDatabase = db.prepare<[string, string, string, string, number]>(
    `insert into databases (engine, name, user, username, locked) values (?, ?, ?, ?, ?)
     on conflict do nothing`,
  )
  const removeDatabase = db.prepare<[string, string]>(
    'delete from databases where engine = ? and name = ?',
  )
  const lockDatabase = db.prepare<[number, string, string]>(
    'update databases set locked = ? where engine = ? and name = ?',
  )
  const renameOwner = db.prepare<[string, string, string]>(
    'update databases set user = ? where engine = ? and name = ?',
  )
  const certificate = db.prepare<[string], { username: string | null }>(
    'select username from certificates where domain = ?',
  )
  const certificatesOf = db.prepare<[string], { domain: string }>(
    'select domain from certificates where username = ? order by domain',
  )
  const certificates = db.prepare<[], { domain: string; username: string | null }>(
    'select domain, username from certificates order by domain',
  )
  const addCertificate = db.prepare<[string, string | null]>(
    `insert into certificates (domain, username) values (?, ?)
     on conflict (domain) do update set username = excluded.username`,
  )
  const removeCertificate = db.prepare<[string]>('delete from certificates where domain = ?')
  const put = (host: VirtualHostSpec): void =>
    void putVhost.run(host.domain, host.username, JSON.stringify(host))

  return {
    vhost: (domain) => {
      const row = vhost.get(domain)
      return row ? toSpec(row) : null
    },
    vhosts: () => vhosts.all().map(toSpec),
    vhostsOf: (username) => vhostsOf.all(username).map(toSpec),
    changeVhosts: db.transaction<Registry['changeVhosts']>((added, removed) => {
      for (const domain of removed) removeVhost.run(domain)
      for (const host of added) put(host)
    }).immediate,
    replaceVhosts: db.transaction<Registry['replaceVhosts']>((hosts) => {
      clearVhosts.run()
      for (const host of hosts) put(host)
    }).immediate,
    database: (engine, name) => {
      const row = database.get(engine, name)
      return row ? fromRow(row) : null
    },
    databasesOf: (username) => databasesOf.all(username).map(fromRow),
    databases: () => databases.all().map(fromRow),
    addDatabase: (row) =>
      addDatabase.run(row.engine, row.database, row.user, row.username, row.locked ? 1 : 0)
        .changes === 1,
    removeDatabase: (engine, name) => void removeDatabase.run(engine, name),
    certificate: (domain) => certificate.get(domain) ?? null,
    certificates: () => certificates.all(),
    certificatesOf: (username) => certificatesOf.all(username).map(({ domain }) => domain),
    addCertificate: (domain, username) => void addCertificate.run(domain, username),
    removeCertificate: (domain) => void removeCertificate.run(domain),
    setDatabaseLocked: (engine, name, locked) =>
      void lockDatabase.run(locked ? 1 : 0, engine, name),
    renameDatabaseOwner: (engine, name, user) => void renameOwner.run(user, engine, name),
  }
}
