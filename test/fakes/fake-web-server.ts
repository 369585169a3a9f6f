import { createChangedHosts } from '#adapters/node/agent/domains/changed-hosts.ts'
import { conflict, invalid, notFound } from '#handlers/errors.ts'
import { parseDocumentRoot } from '#handlers/domain/domains/document-root.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import type { FiguresBatch, FiguresPart } from '#handlers/ports/host/figures.ts'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import type {
  TrafficBatch,
  VirtualHostSpec,
  WebServerCounters,
  WebServerPort,
} from '#handlers/ports/host/web-server.ts'
import { fakeSiteTest } from './web/fake-site-test.ts'

export interface FakeWebServer extends WebServerPort {
  /** Generated hosts by primary name, for assertions. */
  hosts: Map<string, VirtualHostSpec>
  /** What sites have sent and nobody took yet. */
  sent: Record<string, number>
  /** What was counted of visitors and nobody took yet. */
  figures: FiguresPart[]
  /** What it has counted; null while it does not run. */
  counted: WebServerCounters | null
  /** Every purge, in order. */
  purges: string[][]
  reloads: number
  /** What a reload answers. */
  restartNeeded: string[]
  restarts: number
  /** Stalls of its workers. */
  stalls: WorkerStall[]
  /** Addresses of backends that do not do well. */
  away: Set<string>
}

/** Names must be unique over all hosts, as in the real server. */
const assertUnique = (hosts: Iterable<VirtualHostSpec>): void => {
  const seen = new Set<string>()
  for (const { domain, aliases } of hosts) {
    for (const name of [domain, ...aliases]) {
      if (seen.has(name)) throw conflict(`The web server refuses the configuration: ${name} twice.`)
      seen.add(name)
    }
  }
}

/** Judges a host as the agent does; `homeOf` answers null for unknown accounts. */
const assertGood = (
  { domain, aliases, username, root, php, ssl }: VirtualHostSpec,
  homeOf: (username: string) => string | null,
  known: VirtualHostSpec | undefined,
): void => {
  for (const name of [domain, ...aliases])
    if (parseSiteName(name) !== name) throw invalid('domain_name', `${name} is not canonical.`)
  const home = homeOf(username)
  if (home === null) throw notFound(`No account named ${username}.`)
  if (known !== undefined && known.username !== username)
    throw conflict(`${domain} belongs to another account.`, 'domain_name')
  if (parseDocumentRoot(root, home).absolute !== root)
    throw invalid('document_root', 'document_root is not in its canonical form.')
  if (php !== null && !/^\d\.\d{1,2}$/.test(php.version))
    throw invalid('version', 'version is not a PHP version such as 8.2.')
  if (ssl !== null && [ssl.certificate, ssl.key].some((file) => file.startsWith('/etc/')))
    throw invalid('certificate', 'certificate must lie in the certificate directory.')
}

export const createFakeWebServer = (homeOf: (username: string) => string | null): FakeWebServer => {
  let handed: TrafficBatch | null = null
  let handedFigures: FiguresBatch | null = null
  const changed = createChangedHosts()
  const server: FakeWebServer = {
    hosts: new Map(),
    sent: {},
    figures: [],
    counted: { run: 'first', requests: 0, hits: 0, misses: 0 },
    purges: [],
    reloads: 0,
    restartNeeded: [],
    restarts: 0,
    stalls: [],
    away: new Set(),
    async apply({ put, remove }) {
      const next = new Map(server.hosts)
      for (const domain of remove) next.delete(domain)
      for (const spec of put) {
        assertGood(spec, homeOf, next.get(spec.domain))
        next.set(spec.domain, structuredClone(spec))
      }
      assertUnique(next.values())
      server.hosts = next
      server.reloads++
      changed.note([...remove, ...put.map(({ domain }) => domain)])
    },
    edition: async () => changed.edition(),
    async regenerate({ hosts: given, since, leave = [] }) {
      const isChanged = since === undefined ? () => false : changed.since(since)
      const stays = ({ domain, username }: VirtualHostSpec): boolean =>
        leave.includes(username) || isChanged(domain)
      const hosts = [
        ...[...server.hosts.values()].filter(stays),
        ...given.filter((spec) => !stays(spec)),
      ]
      assertUnique(hosts)
      const next = new Map(hosts.map((spec) => [spec.domain, structuredClone(spec)]))
      const removed = [...server.hosts.keys()].filter((domain) => !next.has(domain)).length
      const written = hosts.filter(
        (spec) => JSON.stringify(server.hosts.get(spec.domain)) !== JSON.stringify(spec),
      ).length
      server.hosts = next
      server.reloads++
      return { written, removed }
    },
    async reload() {
      server.reloads++
      return { restart_needed: server.restartNeeded }
    },
    async restart() {
      server.restarts++
    },
    async status() {
      return {
        installed: true,
        running: true,
        version: '1.0.0',
        pid: 4242,
        uptime_secs: 60,
        workers: 2,
        virtual_hosts: server.hosts.size,
        stalls: server.stalls,
      }
    },
    async counters() {
      return server.counted && { ...server.counted }
    },
    async takeTraffic({ acknowledged }) {
      if (handed === null || handed.batch === acknowledged) {
        handed = { batch: crypto.randomUUID(), bytes: server.sent }
        server.sent = {}
      }
      return handed
    },
    async takeFigures({ acknowledged }) {
      const isDone = handedFigures?.batch === acknowledged || handedFigures?.parts.length === 0
      if (handedFigures === null || isDone) {
        handedFigures = { batch: crypto.randomUUID(), parts: server.figures, more: false }
        server.figures = []
      }
      return handedFigures
    },
    // As if all had been asked and were well, but for those that a test says are away.
    async upstreams({ domain }) {
      const spec = server.hosts.get(domain)
      return (spec?.site?.backends ?? []).flatMap(({ servers, health_path }) =>
        servers.length < 2 && health_path === null
          ? []
          : servers.map(({ url, weight }) => ({
              ...{ domain, upstream: url, weight, workers: 2, active: 0, requests: 3 },
              ...(server.away.has(url) ? { up: 0, failures: 2 } : { up: 2, failures: 0 }),
            })),
      )
    },
    explain: (test) => fakeSiteTest(test, server.hosts.values()),
    async purge({ domains }) {
      server.purges.push([...domains])
    },
  }
  return server
}
