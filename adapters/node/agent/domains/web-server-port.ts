import { setImmediate } from 'node:timers/promises'
import { conflict, unavailable } from '#handlers/errors.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { VirtualHostSpec, WebServerPort } from '#handlers/ports/host/web-server.ts'
import type { Registry } from '../registry/types.ts'
import { createChangeQueue } from './change-queue.ts'
import { createChangedHosts } from './changed-hosts.ts'
import { exchangeVhosts, HOSTS_A_TURN } from './exchange-vhosts.ts'
import { checkNamesAreFree, checkSpec } from './check-spec.ts'
import type { RenderedHost } from './check-spec.ts'
import { openVhostFiles } from './vhost-files.ts'
import { connectWebControl } from './web-control.ts'
import { openPendingPurges } from './pending-purges.ts'

export interface WebServerPortDeps {
  registry: Registry
  /** Directory of generated files. */
  vhostsDir: string
  /** The web primary's control socket. */
  socketPath: string
  /** Certificates must lie here. */
  sslDirectory: string
  /** User and group of the web server; null in rootless mode. */
  web: { uid: number; gid: number } | null
  /** Version of the product, told while the web server does not run. */
  version: string
  /** Creates the directory (absolute, in the account's home) and missing parents as the account's uid. */
  ensureDirectory: (username: string, path: string) => Promise<void>
  /** Takes up the configuration in the agent too; answers the keys that wait for a restart, and throws with what is wrong with it. Default: there is nothing to take up. */
  reread?: () => Promise<string[]>
  /** Panels on other machines that this one obeys. Default: none. */
  panels?: () => string[]
  log: Log
}

type Owned = Pick<VirtualHostSpec, 'domain' | 'username'>

/** What one call changes; `null` removes a host. */
interface Change {
  hosts: Map<string, VirtualHostSpec | null>
  /** Also removes everything that is not named, but for what stays; null: does not. */
  whole: { stays: (host: Owned) => boolean } | null
  counts: { written: number; removed: number }
}

const NOT_RUNNING = 'The web server does not run; it reads the configuration when it starts'

const ROOTS_AT_ONCE = 8

export const createWebServerPort = async (deps: WebServerPortDeps): Promise<WebServerPort> => {
  const { registry, log } = deps
  const files = await openVhostFiles(deps.vhostsDir, deps.web?.gid ?? null)
  const control = connectWebControl(deps.socketPath)
  const changed = createChangedHosts()
  const pendingPurges = openPendingPurges(`${deps.vhostsDir}/.pending-purges`, control, log)

  const reload = async (): Promise<void> => {
    const outcome = await control.reload()
    if (outcome.kind === 'absent') log.warn(NOT_RUNNING)
    if (outcome.kind === 'refused')
      throw conflict(
        `The web server refused the new configuration: ${outcome.error} Nothing was changed.`,
      )
  }

  const carryOut = async (changes: Change[]): Promise<void> => {
    const hosts = new Map<string, RenderedHost | null>()
    // Whole sets first: the records that they were read from are older than any change beside them.
    const inOrder = [...changes].sort((a, b) => Number(b.whole !== null) - Number(a.whole !== null))
    for (const { whole, hosts: wanted } of inOrder) {
      const stays = (host: Owned): boolean => whole?.stays(host) === true
      if (whole)
        for (const host of registry.vhosts()) if (!stays(host)) hosts.set(host.domain, null)
      let checked = 0
      for (const [domain, spec] of wanted) {
        if (++checked % HOSTS_A_TURN === 0) await setImmediate()
        if (spec && stays(spec)) continue
        hosts.set(domain, spec && checkSpec(spec, registry, deps.sslDirectory))
      }
    }
    checkNamesAreFree(
      [...hosts.values()].flatMap((host) => (host ? [host.spec] : [])),
      registry.vhosts().filter(({ domain }) => !hosts.has(domain)),
    )
    const whole = changes.find((change) => change.whole)
    const { counts, rollBack } = await exchangeVhosts(registry, files, hosts)
    if (whole) Object.assign(whole.counts, counts)
    try {
      if (whole)
        whole.counts.removed += await files.removeOthers(
          registry.vhosts().map(({ domain }) => domain),
        )
      await reload()
    } catch (error) {
      await rollBack()
      await control.reload().catch(() => undefined)
      throw error
    }
    const single = changes.filter((change) => !change.whole)
    changed.note(single.flatMap((change) => [...change.hosts.keys()]))
  }
  const enqueue = createChangeQueue(carryOut)

  const makeRoots = async (specs: readonly VirtualHostSpec[]): Promise<void> => {
    // Checked before the account's helper is asked for anything.
    for (const spec of specs) checkSpec(spec, registry, deps.sslDirectory)
    // Side by side: an account that halts its helper must not hold up others.
    await Promise.all(
      specs
        .filter(({ suspended }) => !suspended)
        .map((spec) => deps.ensureDirectory(spec.username, spec.root)),
    )
  }

  return {
    async apply({ put, remove }) {
      for (const domain of remove) parseSiteName(domain)
      await makeRoots(put)
      const hosts = new Map<string, VirtualHostSpec | null>(remove.map((domain) => [domain, null]))
      for (const spec of put) hosts.set(spec.domain, spec)
      await enqueue({ hosts, whole: null, counts: { written: 0, removed: 0 } })
    },

    edition: async () => changed.edition(),

    async regenerate({ hosts, since, leave = [] }) {
      const isChanged = since === undefined ? () => false : changed.since(since)
      const left = new Set(leave)
      const makeOrWarn = (spec: VirtualHostSpec): Promise<void> =>
        makeRoots([spec]).catch((error: unknown) => {
          log.warn('A document root could not be made', {
            domain: spec.domain,
            error: String(error),
          })
        })
      // Each account may need a helper of its own, so not all at once.
      for (let first = 0; first < hosts.length; first += ROOTS_AT_ONCE)
        await Promise.all(hosts.slice(first, first + ROOTS_AT_ONCE).map(makeOrWarn))
      const named = new Set(hosts.map(({ username }) => username))
      const isShared = (deps.panels?.() ?? []).length > 0
      // Sites of accounts that the caller does not name may be of another panel that commands here.
      const isOthers = (username: string): boolean => isShared && !named.has(username)
      const counts = { written: 0, removed: 0 }
      await enqueue({
        hosts: new Map(hosts.map((spec) => [spec.domain, spec])),
        whole: {
          stays: ({ domain, username }) =>
            left.has(username) || isChanged(domain) || isOthers(username),
        },
        counts,
      })
      return counts
    },

    async reload() {
      await reload()
      try {
        return { restart_needed: (await deps.reread?.()) ?? [] }
      } catch (error) {
        log.error('the configuration was not reloaded by the agent', { error: String(error) })
        throw conflict(
          `The configuration was not taken up as a whole: ${error instanceof Error ? error.message : ''}`,
        )
      }
    },

    async restart() {
      const outcome = await control.restart()
      if (outcome.kind === 'absent')
        throw unavailable(
          'The web server does not run. The supervisor starts it by itself; look into its log if it does not come back.',
        )
      if (outcome.kind === 'refused')
        throw conflict(
          `The web server refused the configuration: ${outcome.error} It goes on as it was.`,
        )
    },

    async status() {
      const status = await control.status().catch(() => null)
      return {
        installed: true,
        running: status !== null,
        version: status?.version ?? deps.version,
        pid: status?.pid ?? null,
        uptime_secs: status?.uptime_secs ?? null,
        workers: status?.workers ?? 0,
        virtual_hosts: status?.virtual_hosts ?? registry.vhosts().length,
        stalls: status?.stalls ?? [],
      }
    },

    counters: () => control.counters(),

    takeTraffic: ({ acknowledged }) => control.takeTraffic(acknowledged),

    takeFigures: ({ acknowledged }) => control.takeFigures(acknowledged),

    async explain(test) {
      const answer = await control.explain({ ...test, domain: parseSiteName(test.domain) })
      if (answer !== null) return answer
      throw unavailable(
        'The web server does not run, so nothing can be tested. The supervisor starts it by itself; look into its log if it does not come back.',
      )
    },

    async upstreams({ domain }) {
      return (await control.upstreams(parseSiteName(domain))) ?? []
    },

    async purge({ domains }) {
      const names = domains.map((domain) => parseSiteName(domain))
      if (await control.purge(names)) return
      log.warn('The web server does not run; its cache is purged when it starts')
      pendingPurges.add(names)
    },
  }
}
