import { setTimeout } from 'node:timers/promises'
import {
  startWeb,
  type WebOptions,
  type WebProcess,
} from '#test/node/web-server/support/web-process.ts'
import { pin, SERVER_CPU } from '../support/load/pin.ts'
import { treeOf } from '../support/process-tree.ts'
import type { Stage } from '../support/stage.ts'

/**
 * Our web server as it is delivered (policy, access log, statistics, pages in
 * memory and on disk), one worker, all its processes on the server's processor.
 */
export const startBerth = async (stage: Stage, options: WebOptions): Promise<WebProcess> => {
  const web = await startWeb({
    workers: 1,
    ...options,
    server: `max_connections_per_address = 0\n${options.server ?? ''}`,
  })
  stage.later(() => endAtOnce(web))
  await pin(
    treeOf([web.pid]).map(({ pid }) => pid),
    SERVER_CPU,
  )
  return web
}

/** Between two signals that must not become one. */
const BETWEEN_MS = 50

/** The first signal asks it to drain, for which nobody waits here, the second ends it. */
const endAtOnce = async (web: WebProcess): Promise<void> => {
  const ended = web.end()
  await setTimeout(BETWEEN_MS)
  await Promise.all([web.end(), ended])
  await web.remove()
}

/** A virtual host whose pages come from the origin. */
export const originHost = (domain: string, origin: number, more = ''): string => `
[[virtualhost]]
domain = "${domain}"
root = "/nonexistent"
htaccess = false
${more}
[virtualhost.php]
enable = false
[virtualhost.proxy]
upstream = "http://127.0.0.1:${origin}"
keepalive_connections = 64
`
