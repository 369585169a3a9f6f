import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'

/** A call that came through one of two doors. */
export interface DoorCall {
  door: 'local' | 'two'
  /** `port.method`. */
  method: string
  input: unknown
}

/** What is asked of every host, whatever accounts it has. */
const OF_EACH: readonly string[] = [
  'accountUse.shortOfMemory',
  'applications.pushes',
  'certificates.waitingOrders',
  'databaseTool.closeAll',
  'inspection.inspect',
  'mailQueue.message',
  'mailQueue.takeNews',
  'pageCache.report',
  'php.pools',
  'sftp.details',
  'sftp.seenLogins',
  'webServer.edition',
  'webServer.takeFigures',
  'webServer.takeTraffic',
]

/** What is asked of the panel's own machine for itself, and tells no account. */
const OF_MACHINE: readonly string[] = [
  'applications.runtimes',
  'backups.targets',
  'certificates.panelName',
  'databaseRemote.state',
  'databases.engines',
  'hooks.run',
  'imports.find',
  'logs.follow',
  'logs.list',
  'logs.place',
  'logs.read',
  'machine.facts',
  'machine.fillers',
  'mailQueue.list',
  'mailQueue.status',
  'outgoingMail.submit',
  'php.facts',
  'php.test',
  'php.versions',
  'snapshots.engine',
  'system.info',
  'targets.remove',
  'targets.save',
  'targets.serverKey',
  'targets.test',
  'webServer.counters',
  'webServer.reload',
  'webServer.restart',
  'webServer.status',
  'wordpress.sources',
  'wordpressExtensions.packages',
]

/** What the doctor looks at on every host, and what virtual hosts are written with. */
const LOOKED_AT: readonly string[] = [
  'machine.facts',
  'machine.fillers',
  'mailQueue.status',
  'php.versions',
  'webServer.status',
]

/** By what they are told about the server itself, not an account, these go to its machine too. */
const ownsNobody = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'username' in input && input.username === null

const tellsAccount = (input: unknown): boolean =>
  typeof input === 'object' &&
  input !== null &&
  'username' in input &&
  typeof input.username === 'string'

const isEmptyPut = (method: string, input: unknown): boolean =>
  (method === 'webServer.purge' &&
    (input as { domains: readonly string[] }).domains.length === 0) ||
  (method === 'webServer.regenerate' &&
    (input as { hosts: readonly unknown[]; leave: readonly unknown[] }).hosts.length === 0 &&
    (input as { leave: readonly unknown[] }).leave.length === 0)

/** Two hosts of a panel, over one fake: what tells an account is that one's, through whichever door it comes. */
export interface TwoDoors {
  local: HostPorts
  two: HostPorts
  /** In the order in which they came. */
  calls: DoorCall[]
  /** Calls through a door behind which no account is, that are not of its machine. */
  strays(empty: DoorCall['door']): DoorCall[]
}

/**
 * @param host where the accounts are. What is asked of each host is answered at the other, at which
 * none are, by a fake of its own.
 */
export const twoDoors = (host: FakeHost, full: DoorCall['door']): TwoDoors => {
  const calls: DoorCall[] = []
  const nobody = createFakeHost()
  const door = (name: DoorCall['door']): HostPorts =>
    new Proxy(host.ports, {
      get: (ports, port: keyof HostPorts) =>
        new Proxy(ports[port], {
          get(_, method) {
            if (typeof method !== 'string' || method === 'then') return undefined
            const called = `${port}.${method}`
            return (input: unknown): unknown => {
              calls.push({ door: name, method: called, input })
              const isOther =
                name !== full && (OF_EACH.includes(called) || isEmptyPut(called, input))
              const target = (isOther ? nobody.ports : ports)[port] as unknown as Record<
                string,
                (input: unknown) => unknown
              >
              return target[method]?.(input)
            }
          },
        }),
    })
  return {
    local: door('local'),
    two: door('two'),
    calls,
    strays: (empty) =>
      calls.filter(({ door: at, method, input }) => {
        if (at !== empty || OF_EACH.includes(method) || isEmptyPut(method, input)) return false
        if (empty === 'two') return !LOOKED_AT.includes(method)
        return tellsAccount(input) || !(OF_MACHINE.includes(method) || ownsNobody(input))
      }),
  }
}
