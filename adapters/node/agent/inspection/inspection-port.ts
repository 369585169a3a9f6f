import type { Log } from '#handlers/ports/log.ts'
import type {
  HostInspection,
  InspectionPort,
  PathProblem,
} from '#handlers/ports/host/inspection.ts'
import { conflict, notFound } from '#handlers/errors.ts'
import type { Engine } from '../databases/engine.ts'
import { findMasters, stopMaster } from '../php/masters/php-master.ts'
import type { OpenRegistry } from '../registry/registry.ts'
import type { AccountRow } from '../registry/accounts.ts'
import { accountRoomsState } from '../../process/account-rooms.ts'
import { osUser } from '../accounts/os-names.ts'
import { inspectBackups } from './backup-directory.ts'
import { inspectCertificates } from './certificate-directory.ts'
import { inspectDatabases } from './databases.ts'
import { pathProblem, settlePath } from './owned-path.ts'
import type { OwnedPath } from './owned-path.ts'
import { inspectVirtualHosts } from './virtual-hosts.ts'

export interface InspectionPortDeps {
  registry: OpenRegistry
  engines: readonly Engine[]
  /** Whether accounts are users of this machine. */
  osUsers: boolean
  /** Group that may enter homes; null: each account's own. */
  webGid: number | null
  /** Paths of the installation itself. */
  paths: readonly OwnedPath[]
  vhostsDir: string
  sslDirectory: string
  backupsDir: string
  /** Configurations of the PHP masters. */
  phpConfigDir: string
  /** Why accounts are not held together; null: they are. Default: null. */
  unheld?: string | null
  /** Why the disk of the homes goes by no weights; null: it does. Default: null. */
  unsharedDisk?: () => string | null
  /** Panels on other machines that this one obeys. Default: none. */
  panels?: () => string[]
  log: Log
}

/** Binaries that a master may be; a command line alone can be forged. */
const MASTER_PROGRAM = /\/(?:php-fpm[\d.]*|node|lsphp[\d.]*)$/

/** Looks at the host by the agent's own records. */
export const createInspectionPort = (deps: InspectionPortDeps): InspectionPort => {
  const { registry, osUsers, webGid } = deps

  const homeOf = ({ home, uid, gid }: AccountRow): OwnedPath => ({
    path: home,
    kind: 'directory',
    uid,
    gid: webGid ?? gid,
    mode: 0o710,
  })

  const userState = async (
    row: AccountRow,
  ): Promise<HostInspection['accounts'][number]['user']> => {
    if (!osUsers) return 'present'
    const user = await osUser(row.username)
    if (user === null) return 'missing'
    return user.uid === row.uid && user.home === row.home ? 'present' : 'foreign'
  }

  const accounts = async (): Promise<HostInspection['accounts']> => {
    const found: HostInspection['accounts'] = []
    // One after the other: each asks a program, and nobody waits for this.
    for (const row of registry.records.all()) {
      if (row.state !== 'ready') continue
      found.push({
        username: row.username,
        suspended: row.suspended,
        user: await userState(row),
        home: pathProblem(homeOf(row)),
      })
    }
    return found
  }

  const masters = () =>
    findMasters(deps.phpConfigDir).filter(
      ({ uid, exe }) => (uid !== 0 || !osUsers) && MASTER_PROGRAM.test(exe ?? ''),
    )

  const php = (): HostInspection['php'] => {
    const rows = registry.records.all()
    return masters().map(({ pid, uid, configFile }) => {
      const named = configFile.slice(configFile.lastIndexOf('/') + 1)
      const owner = rows.find((row) => row.uid === uid && named.startsWith(`${row.username}-`))
      return { pid, username: owner?.username ?? null }
    })
  }

  const isProblem = (problem: PathProblem | null): problem is PathProblem => problem !== null

  return {
    async inspect() {
      return {
        accounts: await accounts(),
        ...(await inspectVirtualHosts(registry, deps.vhostsDir, deps.sslDirectory)),
        databases: await inspectDatabases(registry.databases(), deps.engines),
        databaseUsers: registry.databaseUsers(),
        databaseAddresses: registry.accounts().map(({ username }) => ({
          username,
          addresses: registry.databaseAddressesOf(username),
        })),
        certificates: await inspectCertificates(registry, deps.sslDirectory),
        php: php(),
        backups: await inspectBackups(deps.backupsDir),
        paths: deps.paths.map(pathProblem).filter(isProblem),
        operations: registry.operations.openWithAge(),
        sharedRooms: accountRoomsState().reason,
        unheldAccounts: osUsers ? (deps.unheld ?? null) : null,
        unsharedDisk: osUsers ? (deps.unsharedDisk?.() ?? null) : null,
        panels: deps.panels?.() ?? [],
      }
    },

    async repairPath({ path }) {
      const row = registry.records.all().find(({ home }) => home === path)
      const wanted = row ? homeOf(row) : deps.paths.find((known) => known.path === path)
      if (wanted === undefined) throw notFound(`${path} is no path of this installation.`)
      const problem = pathProblem(wanted)
      if (problem === null) return
      if (!problem.repairable) throw conflict(`${path} ${problem.problem}.`)
      settlePath(wanted)
      deps.log.warn('owner and mode put right', { path, problem: problem.problem })
    },

    async endPhp({ pid }) {
      const stray = php().find((one) => one.pid === pid)
      const found = masters().find((one) => one.pid === pid)
      if (found === undefined) return
      if (stray?.username !== null) throw conflict(`Process ${pid} is an account's PHP.`)
      const { startTicks, uid, configFile, scattered } = found
      await stopMaster({ pid, startTicks, uid, configFile, scattered, socket: '' }, { graceMs: 0 })
      deps.log.warn('PHP of no account ended', { pid, uid })
    },
  }
}
