import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { createWebServerPort } from '#adapters/node/agent/domains/web-server-port.ts'
import type { VirtualHostSpec, WebServerPort } from '#handlers/ports/host/web-server.ts'
import { startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import type { Stage } from './stage.ts'

const OWNER = 'benchowner'
/** The first of the sites. */
export const VISITED = 'site0.example'
const QUIET_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** `count` sites of one account; `ttl` is that of every hundredth. */
export const siteSpecs = (root: string, count: number, ttl: number): VirtualHostSpec[] =>
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

/** A web server with two workers, and the agent's port that writes its virtual hosts. */
export const stageHosts = async (
  stage: Stage,
): Promise<{ web: WebProcess; home: string; port: Pick<WebServerPort, 'regenerate'> }> => {
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
  return { web, home, port }
}
