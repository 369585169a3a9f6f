import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { pinned, SERVER_CPU } from '../support/load/pin.ts'
import type { Stage } from '../support/stage.ts'

export interface Varnish {
  pid: number
  port: number
}

const START_TIMEOUT_MS = 30_000

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

/**
 * varnishd with `default.vcl` and `varnish.params.json` of this folder, pages in
 * memory, on the server's processor. Its log stays in shared memory: what
 * varnishncsa takes to write it out is not counted, in Varnish's favour.
 */
export const startVarnish = async (stage: Stage, given: { origin: number }): Promise<Varnish> => {
  const [port = 0] = await freePorts(1)
  const vcl = stage.path('default.vcl')
  writeFileSync(vcl, read('default.vcl').replace('{origin}', String(given.origin)))
  mkdirSync(stage.path('varnish'))
  const params = JSON.parse(read('varnish.params.json')) as Record<string, string>
  const child = stage.start(
    'varnish',
    pinned(SERVER_CPU, '/usr/sbin/varnishd', [
      ...['-F', '-n', stage.path('varnish'), '-a', `127.0.0.1:${port}`, '-f', vcl],
      // As the user that starts it: the stage's directory is that user's.
      ...['-j', 'none', '-s', 'malloc,1g', '-T', 'none'],
      ...Object.entries(params).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
    ]),
  )
  await untilListening(port, START_TIMEOUT_MS)
  return { pid: child.pid ?? 0, port }
}
