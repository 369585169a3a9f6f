import { conflict } from '#handlers/errors.ts'
import type { TrafficBatch, VirtualHostSpec, WebServerPort } from '#handlers/ports/web-server.ts'

export interface FakeWebServer extends WebServerPort {
  /** Generated hosts by primary name, for assertions. */
  hosts: Map<string, VirtualHostSpec>
  /** What sites have sent and nobody took yet. */
  sent: Record<string, number>
  /** Every purge, in order. */
  purges: string[][]
  reloads: number
  restarts: number
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

export const createFakeWebServer = (): FakeWebServer => {
  let handed: TrafficBatch | null = null
  const server: FakeWebServer = {
    hosts: new Map(),
    sent: {},
    purges: [],
    reloads: 0,
    restarts: 0,
    async apply({ put, remove }) {
      const next = new Map(server.hosts)
      for (const domain of remove) next.delete(domain)
      for (const spec of put) next.set(spec.domain, structuredClone(spec))
      assertUnique(next.values())
      server.hosts = next
      server.reloads++
    },
    async regenerate({ hosts }) {
      assertUnique(hosts)
      const next = new Map(hosts.map((spec) => [spec.domain, structuredClone(spec)]))
      const removed = [...server.hosts.keys()].filter((domain) => !next.has(domain)).length
      server.hosts = next
      server.reloads++
      return { written: next.size, removed }
    },
    async reload() {
      server.reloads++
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
      }
    },
    async takeTraffic({ acknowledged }) {
      if (handed === null || handed.batch === acknowledged) {
        handed = { batch: crypto.randomUUID(), bytes: server.sent }
        server.sent = {}
      }
      return handed
    },
    async purge({ domains }) {
      server.purges.push([...domains])
    },
  }
  return server
}
