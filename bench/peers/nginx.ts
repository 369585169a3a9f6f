import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { pinned, SERVER_CPU } from '../support/load/pin.ts'
import type { Stage } from '../support/stage.ts'

export interface Nginx {
  pid: number
  ports: { plain: number; tls: number; h2: number; gzip: number; php: number }
}

const START_TIMEOUT_MS = 10_000

/**
 * nginx with `nginx.conf` of this folder, its one worker on the server's
 * processor. The stage holds `bench.crt` and `bench.key`.
 */
export const startNginx = async (
  stage: Stage,
  given: { origin: number; root?: string; php?: { socket: string; root: string } },
): Promise<Nginx> => {
  const [plain = 0, tls = 0, h2 = 0, gzip = 0, php = 0] = await freePorts(5)
  const values: Record<string, string | number> = {
    dir: stage.directory,
    origin: given.origin,
    root: given.root ?? stage.directory,
    php: given.php?.socket ?? stage.path('no-php.sock'),
    phpRoot: given.php?.root ?? stage.directory,
    ...{ listenPlain: plain, listenTls: tls, listenH2: h2, listenGzip: gzip, listenPhp: php },
  }
  const template = readFileSync(join(import.meta.dirname, 'nginx.conf'), 'utf8')
  const file = stage.path('nginx.conf')
  writeFileSync(
    file,
    template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)),
  )
  mkdirSync(stage.path('nginx-tmp'))
  chmodSync(stage.path('nginx-tmp'), 0o777)
  const child = stage.start(
    'nginx',
    pinned(SERVER_CPU, '/usr/sbin/nginx', [
      '-p',
      stage.directory,
      '-c',
      file,
      '-e',
      stage.path('nginx-error.log'),
    ]),
  )
  await untilListening(plain, START_TIMEOUT_MS)
  return { pid: child.pid ?? 0, ports: { plain, tls, h2, gzip, php } }
}
