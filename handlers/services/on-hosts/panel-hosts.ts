import { isAppError, unavailable } from '../../errors.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import type { HostLinks } from '../../ports/host-links.ts'
import type { Clock } from '../../ports/clock.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { Store } from '../../ports/store/store.ts'

/** Probes without an answer after which a host is away. */
export const MISSES = 3

/** A call that tells whose it is: by an account's system user, or by a domain of it. */
type Subject = { username: string } | { domain: string }

/** The methods whose every call tells whose it is. Those of a machine are not among them. */
type AboutAccounts<Port> = {
  [
    M in keyof Port as Port[M] extends (input: infer Input) => unknown
      ? Input extends Subject
        ? M
        : never
      : never
  ]: Port[M]
}

/**
 * The hosts of a panel. Its ports are those of whatever host the account of the call lies on;
 * what tells no account is asked of a host that is named. No call ever goes to another host than
 * that: where it is unknown, has not joined or is away, the call fails with 503 and its name.
 */
export type PanelHosts = { [Port in keyof HostPorts]: AboutAccounts<HostPorts[Port]> } & {
  /** By id. */
  of(hostId: number): HostPorts
  /** That of an account, by its system user. */
  ofAccount(username: string): HostPorts
  /** That of a domain. */
  ofDomain(domain: string): HostPorts
  /** The machine of the panel itself. */
  local: HostPorts
  /** Ids of those that answer, as far as is known: what is done for each machine is done for these. */
  present(): Promise<number[]>
  /** Whether it is known that a host does not answer. */
  isAway(hostId: number): Promise<boolean>
  /** 503 where a host is unknown, has not joined or is away. */
  assertPresent(hostId: number): Promise<void>
}

/** Whether its last probes were not answered. */
export const isAway = ({ id, misses }: Pick<HostRow, 'id' | 'misses'>): boolean =>
  id !== LOCAL_HOST && misses >= MISSES

const ELSEWHERE =
  'This panel is on another machine than the host local, which panels on that machine alone can ask. Use one of those, or wait until it runs again.'
const HAS_JOINED: readonly string[] = ['open', 'closed']

type Ask = (port: keyof HostPorts, method: string, input: unknown) => Promise<unknown>

/** Ports whose every method is `ask`. */
const portsOf = (ask: Ask): HostPorts => {
  const made = new Map<string, object>()
  const portOf = (port: keyof HostPorts): object =>
    new Proxy(
      {},
      {
        get: (_, method) =>
          typeof method === 'string' && method !== 'then'
            ? (input: unknown) => ask(port, method, input)
            : undefined,
      },
    )
  return new Proxy({} as HostPorts, {
    get(_, port) {
      if (typeof port !== 'string' || port === 'then') return undefined
      const known = made.get(port) ?? portOf(port as keyof HostPorts)
      made.set(port, known)
      return known
    },
  })
}

const call = (
  ports: HostPorts,
  port: keyof HostPorts,
  method: string,
  input: unknown,
): Promise<unknown> => {
  const target = ports[port] as unknown as Record<string, (input: unknown) => Promise<unknown>>
  const member = target[method]
  if (member === undefined) throw new Error(`the host has no method ${port}.${method}`)
  return member.call(target, input)
}

/** The one machine of a panel that has no others. */
export const aloneHost = (local: HostPorts): PanelHosts => ({
  ...local,
  of: () => local,
  ofAccount: () => local,
  ofDomain: () => local,
  local,
  present: () => Promise.resolve([LOCAL_HOST]),
  isAway: () => Promise.resolve(false),
  assertPresent: () => Promise.resolve(),
})

/** Over records and links; without links the panel's own machine is the only one. */
export const createPanelHosts = (deps: {
  store: Store
  clock: Clock
  host: HostPorts
  hostLinks?: HostLinks | undefined
  /** Whether host 0 is another machine than this panel's. Default: it is the same. */
  isElsewhere?: boolean
}): PanelHosts => {
  const { store, clock, hostLinks, isElsewhere = false } = deps
  const local = isElsewhere ? portsOf(() => Promise.reject(unavailable(ELSEWHERE))) : deps.host
  if (hostLinks === undefined) return aloneHost(local)

  const known = async (id: number): Promise<HostRow & { certificate: string }> => {
    const row = await store.hostById(id)
    if (row === null)
      throw unavailable(`The host ${String(id)} is not known to this panel any more.`)
    const { certificate } = row
    if (certificate === null || !HAS_JOINED.includes(row.state))
      throw unavailable(`The host ${row.name} has not joined this panel yet.`)
    if (isAway(row))
      throw unavailable(
        `The host ${row.name} is away: it does not answer this panel. Look whether it runs and whether "berth hosts list" shows its address, then try again.`,
      )
    return { ...row, certificate }
  }
  const remote = (id: number): HostPorts =>
    portsOf(async (port, method, input) => {
      const row = await known(id)
      try {
        const answer = await call(await hostLinks.reach(row), port, method, input)
        if (row.misses > 0) await store.hostAnswered(id, Math.floor(clock.nowMs() / 1000))
        return answer
      } catch (error) {
        if (!isAppError(error)) throw error
        if (error.message.includes(row.link_id))
          throw unavailable(error.message.replaceAll(row.link_id, row.name), error)
        // What it says of itself is read at the panel, where there are several.
        if (error.status !== 503 || error.message.includes(row.name)) throw error
        throw unavailable(`On the host ${row.name}: ${error.message}`, error)
      }
    })
  const remotes = new Map<number, HostPorts>()
  const of = (id: number): HostPorts => {
    if (id === LOCAL_HOST) return local
    const ports = remotes.get(id) ?? remote(id)
    remotes.set(id, ports)
    return ports
  }
  /** A name that no account has is no other machine's where there is none. */
  const hostOf = async (id: number | null, name: string): Promise<HostPorts> => {
    if (id !== null) return of(id)
    const others = (await store.listHosts()).filter((row) => row.id !== LOCAL_HOST)
    if (others.length === 0) return local
    throw unavailable(`It is not known on which host ${name} is.`)
  }
  const hostOfAccount = async (username: string): Promise<HostPorts> =>
    hostOf(await store.hostOfAccount(username), username)
  const hostOfDomain = async (domain: string): Promise<HostPorts> =>
    hostOf(await store.hostOfDomain(domain), domain)

  const routed = portsOf(async (port, method, input) => {
    const { username, domain } = (input ?? {}) as { username?: unknown; domain?: unknown }
    // What the panel's machine has for itself.
    if (username === null) return call(local, port, method, input)
    if (typeof username === 'string')
      return call(await hostOfAccount(username), port, method, input)
    if (typeof domain === 'string') return call(await hostOfDomain(domain), port, method, input)
    // The types let none of these through.
    throw new Error(`${port}.${method} tells no account`)
  })
  const own: Pick<
    PanelHosts,
    'of' | 'ofAccount' | 'ofDomain' | 'local' | 'present' | 'isAway' | 'assertPresent'
  > = {
    of,
    local,
    ofAccount: (username) =>
      portsOf(async (port, method, input) =>
        call(await hostOfAccount(username), port, method, input),
      ),
    ofDomain: (domain) =>
      portsOf(async (port, method, input) => call(await hostOfDomain(domain), port, method, input)),
    present: async () =>
      (await store.listHosts())
        .filter((row) =>
          row.id === LOCAL_HOST ? !isElsewhere : HAS_JOINED.includes(row.state) && !isAway(row),
        )
        .filter(({ role }) => role === 'host')
        .map(({ id }) => id),
    async isAway(id) {
      const row = id === LOCAL_HOST ? null : await store.hostById(id)
      return row !== null && isAway(row)
    },
    async assertPresent(id) {
      if (id !== LOCAL_HOST) await known(id)
      else if (isElsewhere) throw unavailable(ELSEWHERE)
    },
  }
  return new Proxy(own as PanelHosts, {
    get: (target, name) =>
      Reflect.has(target, name)
        ? (Reflect.get(target, name) as unknown)
        : (Reflect.get(routed, name) as unknown),
  })
}
