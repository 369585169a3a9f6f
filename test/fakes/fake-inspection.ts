import { conflict, notFound } from '#handlers/errors.ts'
import type { HostInspection, InspectionPort } from '#handlers/ports/host/inspection.ts'
import type { FakeBackups } from './backups/fake-backups.ts'
import type { FakeCertificates } from './certificates/fake-certificates.ts'
import type { FakeDatabaseRemote } from './databases/fake-database-remote.ts'
import type { FakeDatabases } from './fake-databases.ts'
import type { FakeUsers } from './fake-users.ts'
import type { FakeWebServer } from './fake-web-server.ts'

/** What a test lets be wrong; all empty at first. */
export interface FakeDrift {
  /** Users that the system does not have, or has otherwise. */
  users: Map<string, 'missing' | 'foreign'>
  /** Problems of homes by username. */
  homes: Map<string, NonNullable<HostInspection['accounts'][number]['home']>>
  /** Virtual hosts whose file is not what it should be. */
  files: Map<string, 'missing' | 'changed'>
  strayFiles: string[]
  /** Databases that their server lost. */
  lostDatabases: Set<string>
  php: HostInspection['php']
  backups: HostInspection['backups']
  paths: HostInspection['paths']
  operations: HostInspection['operations']
  sharedRooms: HostInspection['sharedRooms']
  unheldAccounts: HostInspection['unheldAccounts']
  unsharedDisk: HostInspection['unsharedDisk']
  panels: HostInspection['panels']
  /** Certificate files that no record has. */
  strayCertificates: string[]
}

export interface FakeInspection extends InspectionPort {
  drift: FakeDrift
}

/** The fake host as its own inspection sees it. */
export const createFakeInspection = (parts: {
  users: FakeUsers
  databases: FakeDatabases
  databaseRemote: FakeDatabaseRemote
  backups: FakeBackups
  certificates: FakeCertificates
  webServer: FakeWebServer
}): FakeInspection => {
  const { users, databases, databaseRemote, backups, certificates, webServer } = parts
  const drift: FakeDrift = {
    users: new Map(),
    homes: new Map(),
    files: new Map(),
    strayFiles: [],
    lostDatabases: new Set(),
    php: [],
    backups: [],
    paths: [],
    operations: [],
    sharedRooms: null,
    unheldAccounts: null,
    unsharedDisk: null,
    panels: [],
    strayCertificates: [],
  }
  // Writing everything anew is what the real web server does with its files.
  const { regenerate } = webServer
  webServer.regenerate = async (input) => {
    drift.files.clear()
    drift.strayFiles = []
    return regenerate(input)
  }
  const ownerOf = (domain: string): string | null => webServer.hosts.get(domain)?.username ?? null
  return {
    drift,
    async inspect() {
      return structuredClone({
        accounts: [...users.made.values()].map(({ username, suspended }) => ({
          username,
          suspended,
          user: drift.users.get(username) ?? ('present' as const),
          home: drift.homes.get(username) ?? null,
        })),
        virtualHosts: [...webServer.hosts.values()].map((spec) => ({
          spec,
          file: drift.files.get(spec.domain) ?? ('current' as const),
        })),
        strayVirtualHostFiles: drift.strayFiles,
        databases: [...databases.made.values()].map((row) => ({
          engine: row.engine,
          database: row.database,
          user: row.user,
          username: row.username,
          host: 'localhost',
          locked: row.locked,
          present: !drift.lostDatabases.has(row.database),
        })),
        databaseUsers: [...databases.users.values()].map(
          ({ engine, user, username, locked, grants }) => ({
            ...{ engine, user, username, locked, grants },
          }),
        ),
        databaseAddresses: [...databaseRemote.addresses].map(([username, addresses]) => ({
          username,
          addresses,
        })),
        certificates: [
          ...[...certificates.stored]
            .filter(([, versions]) => versions.size > 0)
            .map(([domain, versions]) => ({
              domain,
              username: ownerOf(domain),
              recorded: true,
              versions: [...versions],
            })),
          ...drift.strayCertificates.map((domain) => ({
            domain,
            username: null,
            recorded: false,
            versions: [],
          })),
        ],
        php: drift.php,
        backups: [
          ...[...backups.files].flatMap(([key, content]) => {
            if (!key.startsWith('local/')) return []
            const filename = key.slice('local/'.length)
            return [{ filename, path: `/backups/${filename}`, sizeBytes: content.length }]
          }),
          ...drift.backups,
        ],
        paths: drift.paths,
        operations: drift.operations,
        sharedRooms: drift.sharedRooms,
        unheldAccounts: drift.unheldAccounts,
        unsharedDisk: drift.unsharedDisk,
        panels: drift.panels,
      })
    },
    async repairPath({ path }) {
      const home = [...drift.homes].find(([, problem]) => problem.path === path)
      if (home) return void drift.homes.delete(home[0])
      if (!drift.paths.some((one) => one.path === path))
        throw notFound(`${path} is no path of this installation.`)
      drift.paths = drift.paths.filter((one) => one.path !== path)
    },
    async endPhp({ pid }) {
      const found = drift.php.find((one) => one.pid === pid)
      if (found && found.username !== null) throw conflict(`Process ${pid} is an account's PHP.`)
      drift.php = drift.php.filter((one) => one.pid !== pid)
    },
  }
}
