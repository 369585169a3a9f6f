import type { CertificateRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'

/** What panel and host have, without what differs from run to run. */
export type State = Record<string, unknown>

/** Times, and what a request that had no effect may change. */
const PASSING = new Set(['id', 'account_id', 'created_at', 'updated_at', 'not_before_secs', 'uid'])

const lasting = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !PASSING.has(key)))

const sorted = <T>(rows: readonly T[], textOf: (row: T) => string): string[] =>
  rows.map(textOf).sort()

const text = (row: object): string => JSON.stringify(row)

/** The whole state, in a form that two runs of the same story share. */
export const stateOf = async (store: Store, host: FakeHost): Promise<State> => {
  const accounts = (await store.listAccounts()).rows
  const databases = (await Promise.all(accounts.map(({ id }) => store.listDatabases(id)))).flat()
  const databaseUsers = (
    await Promise.all(accounts.map(({ id }) => store.listDatabaseUsers(id)))
  ).flat()
  const addresses = (
    await Promise.all(accounts.map(({ id }) => store.listDatabaseAddresses(id)))
  ).flat()
  const certificates = (await store.listCertificates()).rows
  const backups = (await store.listBackups()).rows
  const snapshots = (await store.listSnapshots()).rows
  const inRepositories = [...host.snapshots.repositories].flatMap(([place, rows]) =>
    rows.map(({ facts }) => `${place} ${facts.id}`),
  )
  const nameOf = (row: { location: string; username: string; id: string }): string =>
    `${row.location}/${row.username} ${row.id}`
  const placeOf = ({ location, filename }: { location: string; filename: string }): string =>
    `${location}/${filename}`
  const isShown = (
    ssl: { certificate: string } | null,
    row: CertificateRow | undefined,
  ): boolean => (ssl === null ? row === undefined : ssl.certificate === row?.certificate_file)
  const recorded = new Map(certificates.map((row) => [row.domain, row]))
  return {
    accounts: sorted(accounts, (row) => text(lasting(row))),
    domains: sorted((await store.listDomains()).rows, (row) =>
      text({ ...lasting(row), ssl_expires_at: row.ssl_expires_at !== null }),
    ),
    siteSettings: sorted([...(await store.listSiteSettings())], (row) => JSON.stringify(row)),
    databases: sorted(databases, (row) => text(lasting(row))),
    databaseUsers: sorted(databaseUsers, ({ engine, name, grants }) =>
      text({ engine, name, grants: grants.map(({ rights }) => rights) }),
    ),
    databaseAddresses: sorted(addresses, ({ address, note }) => text({ address, note })),
    certificates: sorted(certificates, ({ domain, source, serial, version }) =>
      text({ domain, source, serial, kept: host.certificates.stored.get(domain)?.has(version) }),
    ),
    applications: sorted(
      (await store.listApplications()).rows,
      ({ name, start_command, desired }) => text({ name, start_command, desired }),
    ),
    running: sorted([...host.applications.kept.values()], ({ spec, runs }) =>
      text({ name: spec.name, runs: runs !== null }),
    ),
    backups: sorted(backups, ({ username, location }) => `${location}/${username}`),
    snapshots: sorted(snapshots, ({ username, location }) => `${location}/${username}`),
    host: {
      users: sorted([...host.users.made.values()], ({ username, suspended, diskQuotaMb, limits }) =>
        text({ username, suspended, diskQuotaMb, limits }),
      ),
      applications: sorted([...host.applications.kept.values()], ({ spec }) => text(spec)),
      homes: [...host.files.trees.keys()].sort(),
      databases: sorted([...host.databases.made.values()], ({ database, user, engine, locked }) =>
        text({ database, user, engine, locked }),
      ),
      databaseUsers: sorted(
        [...host.databases.users.values()],
        ({ engine, user, locked, grants }) => text({ engine, user, locked, grants }),
      ),
      wordpress: [...host.wordpress.installed].flatMap(([username, all]) =>
        all.map(({ path, version }) => `${username} ${path} ${version}`),
      ),
      // None, or never told of any.
      databaseAddresses: [...host.databaseRemote.addresses].flatMap(([username, all]) =>
        all.map((address) => `${username} ${address}`),
      ),
      certificates: sorted([...host.certificates.stored], ([domain, versions]) =>
        text({ domain, versions: versions.size }),
      ),
      // Told what is the default anyway, or not told.
      php: [...host.users.made.keys()].map((name) =>
        text({ name, ...(host.php.configured.get(name) ?? { version: '8.2', mode: 'fpm' }) }),
      ),
      sites: sorted([...host.webServer.hosts.values()], (spec) =>
        text({
          ...spec,
          ssl: { has: spec.ssl !== null, current: isShown(spec.ssl, recorded.get(spec.domain)) },
        }),
      ),
    },
    archivesWithoutRecord: [...host.backups.files.keys()].filter(
      (name) => !backups.some((row) => placeOf(row) === name),
    ),
    recordsWithoutArchive: backups.map(placeOf).filter((name) => !host.backups.files.has(name)),
    snapshotsWithoutRecord: inRepositories.filter(
      (name) => !snapshots.some((row) => nameOf(row) === name),
    ),
    recordsWithoutSnapshot: snapshots.map(nameOf).filter((name) => !inRepositories.includes(name)),
    openOperations: (await store.openOperations()).map(({ kind }) => kind),
  }
}
