import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import type { SiteResponse } from '#test/support/instance-types.ts'
import { requestSite } from '#test/support/site-request.ts'
import { startPhpSite } from '../../web-server/support/php-site.ts'
import { startWeb } from '../../web-server/support/web-process.ts'
import { startApache, type ApacheHost } from './apache.ts'
import type { CaseAsk, CaseSite } from './case-site.ts'

export interface BothServers {
  /** The same request to each, with `Host: <name>.test` unless the fields name another. */
  ask(site: string, ask: CaseAsk): Promise<{ apache: SiteResponse; berth: SiteResponse }>
  /** Writes below a site's document root. */
  put(site: string, path: string, content: string): void
  apacheLog(): string
  stop(): Promise<void>
}

export interface ServersOptions {
  /** The page cache of ours; default off. */
  cache?: boolean
  /** What ours does with directives that it does not know; default as Apache, an error. */
  unknown?: 'ignore' | 'error'
}

/** Old enough that nothing counts as just changed. */
const TREE_MTIME = new Date('2026-01-02T03:04:05Z')

const hostToml = (
  { domain, root }: ApacheHost,
  socket: string,
  { cache = false, unknown = 'error' }: ServersOptions,
): string => `
[[virtualhost]]
domain = "${domain}"
aliases = ["www.${domain}"]
root = "${root}"
index = ["index.php", "index.html"]
htaccess = true
htaccess_unknown = "${unknown}"
[virtualhost.php]
socket = "${socket}"
[virtualhost.cache]
enable = ${cache}
`

/** Debian's Apache and the web server over the same document roots and the same php-fpm. */
export const startBothServers = async (
  sites: readonly CaseSite[],
  options: ServersOptions = {},
): Promise<BothServers> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-htaccess-'))
  chmodSync(directory, 0o755)
  const rootOf = (site: string): string => join(directory, 'sites', site)
  const put: BothServers['put'] = (site, path, content) => {
    const file = join(rootOf(site), path)
    mkdirSync(path.endsWith('/') ? file : dirname(file), { recursive: true })
    if (path.endsWith('/')) return
    writeFileSync(file, content.replaceAll('{root}', rootOf(site)))
    utimesSync(file, TREE_MTIME, TREE_MTIME)
  }
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    for (const { name, tree } of sites) {
      mkdirSync(rootOf(name), { recursive: true })
      for (const [path, content] of Object.entries(tree)) put(name, path, content)
    }
    const php = await startPhpSite(directory)
    stops.push(() => php.stop())
    chmodSync(php.socket, 0o666)
    const hosts = sites.map(({ name }) => ({ domain: `${name}.test`, root: rootOf(name) }))
    const [port = 0] = await freePorts(1)
    const apache = await startApache({ directory, port, hosts, phpSocket: php.socket })
    stops.push(() => apache.stop())
    // Apache believes everybody who says that he came by https.
    const web = await startWeb({
      workers: 1,
      more: '\n[panel]\ntrusted_proxies = ["127.0.0.1", "::1"]\n',
    })
    stops.push(() => web.remove())
    web.writeHosts('sites', hosts.map((host) => hostToml(host, php.socket, options)).join(''))
    const { status, body } = await web.control('POST', '/reload')
    if (status !== 200) throw new Error(`the reload was refused: ${JSON.stringify(body)}`)

    return {
      put,
      apacheLog: () => apache.errorLog(),
      stop,
      ask: async (site, [, target, fields = {}, body]) => {
        const { host = `${site}.test`, ...headers } = fields
        const space = target.indexOf(' ')
        const method = space === -1 ? 'GET' : target.slice(0, space)
        const path = target.slice(space + 1)
        const init = { method, headers, ...(body === undefined ? {} : { body }) }
        const [one, other] = await Promise.all([
          requestSite({ http: apache.port, https: 0 }, host, path, init),
          requestSite({ http: web.port, https: 0 }, host, path, init),
        ])
        return { apache: one, berth: other }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
