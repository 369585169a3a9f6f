import type Database from 'better-sqlite3'
import type { ApplicationSpec } from '#handlers/ports/host/applications.ts'
import type { ApplicationStart, RegisteredApplication, Registry } from './types.ts'

interface Row {
  spec: string
  secrets: string
  wanted: RegisteredApplication['wanted']
  live: string | null
}

/** Applications of accounts with their secrets, over an opened and migrated registry database. */
export const createApplicationRecords = (
  db: Database.Database,
): Pick<
  Registry,
  | 'application'
  | 'applicationsOf'
  | 'applications'
  | 'putApplication'
  | 'takeApplication'
  | 'wantApplication'
  | 'removeApplication'
> => {
  const columns = 'select spec, secrets, wanted, live from applications'
  const one = db.prepare<[string, string], Row>(`${columns} where username = ? and name = ?`)
  const of = db.prepare<[string], Row>(`${columns} where username = ? order by name`)
  const all = db.prepare<[], Row>(`${columns} order by username, name`)
  const put = db.prepare<[string, string, string, string]>(
    `insert into applications (username, name, spec, secrets, wanted) values (?, ?, ?, ?, 'stopped')
     on conflict (username, name) do update set spec = excluded.spec, secrets = excluded.secrets`,
  )
  const take = db.prepare<[string, string, string]>(
    "update applications set live = ?, wanted = 'running' where username = ? and name = ?",
  )
  const want = db.prepare<[string, string, string]>(
    'update applications set wanted = ? where username = ? and name = ?',
  )
  const remove = db.prepare<[string, string]>(
    'delete from applications where username = ? and name = ?',
  )
  const read = ({ spec, secrets, wanted, live }: Row): RegisteredApplication => ({
    // Written below and nowhere else.
    spec: JSON.parse(spec) as ApplicationSpec,
    secrets: JSON.parse(secrets) as Record<string, string>,
    wanted,
    live: live === null ? null : (JSON.parse(live) as ApplicationStart),
  })
  return {
    application: (username, name) => {
      const row = one.get(username, name)
      return row === undefined ? null : read(row)
    },
    applicationsOf: (username) => of.all(username).map(read),
    applications: () => all.all().map(read),
    putApplication: ({ spec, secrets }) =>
      void put.run(spec.username, spec.name, JSON.stringify(spec), JSON.stringify(secrets)),
    takeApplication: ({ spec, secrets }) =>
      void take.run(JSON.stringify({ spec, secrets }), spec.username, spec.name),
    wantApplication: (username, name, wanted) => void want.run(wanted, username, name),
    removeApplication: (username, name) => void remove.run(username, name),
  }
}
