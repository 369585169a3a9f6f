import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { createWebServerPort } from '#adapters/node/agent/domains/web-server-port.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { startWeb } from '#test/node/web-server/support/web-process.ts'
import { startProbe } from '../support/load/probe.ts'
import type { Effort, Family, Finding } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { timeMs, valueFinding } from '../support/findings/value-finding.ts'

const QUICK_HOSTS = 1000
const HOSTS = 10_000
const OWNER = 'benchowner'
const VISITED = 'site0.example'
const QUIET_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }

const specs = (root: string, count: number, ttl: number): VirtualHostSpec[] =>
  Array.from({ length: count }, (_, at) => ({
    domain: `site${at}.example`,
    aliases: [`www.site${at}.example`],
    username: OWNER,
    root: join(root, 'public_html'),
    suspended: false,
    overBandwidth: false,
    php: null,
    ssl: null,
    redirectHttps: false,
    // One in a hundred changes: what usually is regenerated is the same as before.
    cache: { enable: true, ttl: at % 100 === 0 ? ttl : 600, exclude: [] },
  }))

const measure = (wanted: ReadonlySet<string>, effort: Effort): Promise<Finding[]> =>
  onStage(async (stage) => {
    const count = effort.quick ? QUICK_HOSTS : HOSTS
    const web = await startWeb({ workers: 2 })
    stage.later(() => web.remove())
    const home = join(web.directory, 'home', OWNER)
    mkdirSync(join(home, 'public_html'), { recursive: true })
    writeFileSync(join(home, 'public_html/index.html'), '<p>a page</p>')
    const registry = openRegistry(stage.path('registry/registry.db'))
    stage.later(() => registry.close())
    const ids = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
    registry.records.reserve({ username: OWNER, home, diskQuotaMb: 0 }, ids)
    registry.records.setState(OWNER, 'ready')
    const port = await createWebServerPort({
      registry,
      vhostsDir: join(web.directory, 'state/vhosts.d'),
      socketPath: join(web.directory, 'run/web.sock'),
      sslDirectory: join(web.directory, 'state/certs'),
      web: null,
      version: 'bench',
      // The home's helper makes a root once; afterwards it finds it there.
      ensureDirectory: () => Promise.resolve(),
      log: QUIET_LOG,
    })
    await port.regenerate({ hosts: specs(home, count, 60) })
    const findings: Finding[] = []
    const hosts = `${count} virtual hosts`
    const underLoad = async (
      row: string,
      what: string,
      limitMs: number,
      work: (round: number) => Promise<unknown>,
    ): Promise<void> => {
      const probe = startProbe(web.port, VISITED, ['/'], 8)
      const times: number[] = []
      for (let round = 0; round < effort.rounds; round++)
        times.push(await timeMs(() => work(round)))
      const { failures, requests } = await probe.stop()
      const subject = `${what}, ${hosts}, under load`
      findings.push(
        valueFinding(row, subject, 'time', 'ms', { atMost: limitMs }, times),
        valueFinding(row, subject, `failed of ${requests}`, 'requests', { atMost: 0 }, [
          failures.length,
        ]),
      )
    }
    if (wanted.has('vhosts-regenerate'))
      await underLoad('vhosts-regenerate', 'regenerate and load', 3000, (round) =>
        port.regenerate({ hosts: specs(home, count, 61 + round) }),
      )
    if (wanted.has('vhosts-reload'))
      await underLoad('vhosts-reload', 'graceful reload', 1000, async () => {
        const { status, body } = await web.control('POST', '/reload')
        if (status !== 200) throw new Error(`the reload was refused: ${JSON.stringify(body)}`)
      })
    return findings
  })

/** Many virtual hosts, through the agent's own port and the web server's control socket. */
export const virtualHosts: Family = {
  name: 'vhosts',
  rows: {
    'vhosts-regenerate': 'regenerate 10 k virtual hosts, one in a hundred changed, and load them',
    'vhosts-reload': 'graceful reload of 10 k virtual hosts under load',
  },
  measure: async (wanted, effort) => ({ findings: await measure(wanted, effort), figures: [] }),
}
