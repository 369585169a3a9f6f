import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Miniflare } from 'miniflare'
import { asModule, bundleWorker } from './bundle-worker.ts'
import { keptSecret } from './kept-secret.ts'
import { createSmallOrigin } from './small-origin.ts'

const USAGE = `npm run edge [-- OPTIONS]
  --port NUMBER         where sites answer (default 8787)
  --panel-port NUMBER   where the panel answers (default 8788)
  --origin URL          your own origin before which the cache stands (default: a small one, started here)
  --directory PATH      where keys and records are kept (default var/edge)`

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const COMPATIBILITY_DATE = '2026-07-01'
const SITE = 'shop.localhost'
const FILES = 'files.localhost'
const MANAGEMENT = 'manage.localhost'

const read = () => {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '8787' },
        'panel-port': { type: 'string', default: '8788' },
        origin: { type: 'string' },
        directory: { type: 'string', default: 'var/edge' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const ports = [values.port, values['panel-port']].map(Number)
    if (ports.some((port) => !Number.isInteger(port) || port < 0 || port > 65_535))
      throw new Error('A port is a number from 0 (any that is free) to 65535.')
    if (values.origin !== undefined && !URL.canParse(values.origin))
      throw new Error(`"${values.origin}" is no address. Write http://127.0.0.1:3000.`)
    const [port = 0, panelPort = 0] = ports
    const { directory, origin, help = false } = values
    return { port, panelPort, origin, directory, help }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exit(2)
  }
}

const options = read()
if (options.help) {
  console.log(USAGE)
  process.exit(0)
}

const kept = resolve(root, options.directory)

/** What is ended when this ends, last first. */
const closing: (() => Promise<unknown>)[] = []
const close = async (): Promise<void> => {
  for (const end of closing.splice(0).reverse()) await end().catch(() => undefined)
}

const startOrigin = async (): Promise<string> => {
  const server = createSmallOrigin()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const started = async (miniflare: Miniflare): Promise<string> => {
  closing.push(() => miniflare.dispose())
  return (await miniflare.ready).origin
}

/** Static assets before which the Worker is asked, as in the configurations. */
const filesOf = (directory: string) => ({
  ...{ directory: join(root, directory), binding: 'ASSETS' },
  routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
  assetConfig: { html_handling: 'none', not_found_handling: 'none' } as const,
})

const startSites = async (origin: string, token: string): Promise<string> =>
  started(
    new Miniflare({
      name: 'berth-edge',
      host: '127.0.0.1',
      port: options.port,
      modules: true,
      script: await bundleWorker(join(root, 'adapters/worker/edge/index.ts')),
      compatibilityDate: COMPATIBILITY_DATE,
      durableObjects: { MARKS: { className: 'PageMarks', useSQLite: true } },
      durableObjectsPersist: join(kept, 'marks'),
      assets: filesOf('scripts/edge/files'),
      bindings: {
        SITE_SHOP: { domain: SITE, origin },
        SITE_FILES: { domain: FILES, assets: '/' },
        MANAGEMENT_HOST: MANAGEMENT,
        MANAGEMENT_TOKEN: token,
      },
    }),
  )

const startPanel = async (setupToken: string): Promise<string> =>
  started(
    new Miniflare({
      name: 'berth-panel',
      host: '127.0.0.1',
      port: options.panelPort,
      modules: asModule(await bundleWorker(join(root, 'adapters/worker/ui/index.ts'))),
      assets: filesOf('build/client'),
      compatibilityDate: COMPATIBILITY_DATE,
      compatibilityFlags: ['nodejs_als'],
      d1Databases: { DB: 'berth-panel' },
      d1Persist: join(kept, 'd1'),
      bindings: { JWT_SECRET: keptSecret(join(kept, 'jwt-secret')), SETUP_TOKEN: setupToken },
    }),
  )

try {
  const origin = options.origin ?? (await startOrigin())
  const token = keptSecret(join(kept, 'management-token'))
  const setupToken = keptSecret(join(kept, 'setup-token'))
  const [sites, panel] = await Promise.all([startSites(origin, token), startPanel(setupToken)])
  const at = (host: string): string => `curl -si -H 'Host: ${host}' ${sites}`
  const managed = `curl -s -H 'Host: ${MANAGEMENT}' -H "Authorization: Bearer $(cat ${options.directory}/management-token)"`
  console.log(`
Sites answer at ${sites}, before ${origin}:
  ${at(SITE)}/          MISS, and then HIT (X-Cache)
  ${at(SITE)}/basket    each visitor's own
  ${at(FILES)}/        static files
  ${sites.replace('127.0.0.1', SITE)}/ in a browser

Their management API:
  ${managed} ${sites}/api/v1/cache/stats
  ${managed} -X POST '${sites}/api/v1/cache/purge?domain=${SITE}&path=/'
  ${managed} -X POST '${sites}/api/v1/cache/warm?url=http://${SITE}/news'

The panel answers at ${panel}, with its records in ${options.directory}/d1:
  open it in a browser; the token that it asks for is in ${options.directory}/setup-token, or
  curl -s ${panel}/api/auth/setup -H 'Content-Type: application/json' \\
    -d "{\\"username\\":\\"admin\\",\\"password\\":\\"a long password\\",\\"setup_token\\":\\"$(cat ${options.directory}/setup-token)\\"}"
  ${panel}/api/docs in a browser
  It has no host yet: docs/edge.md says how it reaches one.

Ctrl+C ends all of it.`)
} catch (error) {
  await close()
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

const stop = (): void => {
  void close().then(() => process.exit(0))
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
// Whoever started this is gone.
process.once('disconnect', stop)
