import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { pinned, SERVER_CPU } from '../support/load/pin.ts'
import type { Stage } from '../support/stage.ts'

const START_TIMEOUT_MS = 10_000

/** A whole answer with as many fields as a hit of ours has. */
const writeResponseBytes = (stage: Stage, name: string, body: string): string => {
  const file = stage.path(`${name}.answer`)
  const head = [
    'HTTP/1.1 200 OK',
    'Content-Type: text/html; charset=utf-8',
    'Cache-Control: public, max-age=3600',
    `Content-Length: ${body.length}`,
    'Age: 10',
    `Date: ${new Date().toUTCString()}`,
    'X-Cache: HIT',
    'Cache-Status: floor; hit; ttl=3590',
    'Vary: Accept-Encoding',
  ].join('\r\n')
  writeFileSync(file, `${head}\r\n\r\n${body}`, 'latin1')
  return file
}

const start = async (
  stage: Stage,
  name: string,
  body: string,
  program: string,
  args: readonly string[],
): Promise<{ pid: number; port: number }> => {
  const [port = 0] = await freePorts(1)
  const file = writeResponseBytes(stage, name, body)
  const argv = pinned(SERVER_CPU, program, [...args, String(port), file])
  const child = stage.start(name, argv)
  await untilListening(port, START_TIMEOUT_MS)
  return { pid: child.pid ?? 0, port }
}

/** Compiles `floor.c`; answers the program. */
export const compileFloor = async (stage: Stage): Promise<string> => {
  const program = stage.path('floor')
  const source = join(import.meta.dirname, 'floor.c')
  await mustRun('/usr/bin/gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', program, source])
  return program
}

/** The C program that gives one answer to whatever comes. */
export const startFloor = (
  stage: Stage,
  program: string,
  name: string,
  body: string,
): Promise<{ pid: number; port: number }> => start(stage, name, body, program, [])

/** The same in Node: what the loop and the sockets cost without any work of ours. */
export const startBareLoop = (
  stage: Stage,
  name: string,
  body: string,
): Promise<{ pid: number; port: number }> =>
  start(stage, name, body, process.execPath, [join(import.meta.dirname, 'bare-loop-server.ts')])
