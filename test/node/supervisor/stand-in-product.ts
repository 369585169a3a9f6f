import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'

/**
 * A child that does only what the supervisor sees: serves on inherited sockets,
 * says ready, stops on SIGTERM and when the supervisor is gone. The panel waits
 * until it may serve, and says since when; the others log when they were ready.
 */
const CHILD = `
import http from 'node:http'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
const name = basename(process.argv[1], '.ts')
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
process.on('SIGHUP', () => console.error('reloaded'))
process.on('SIGUSR1', () => console.error('logs reopened'))
setInterval(() => {}, 1000)
const config = process.argv[3]
const order = dirname(config) + '/' + name
if (existsSync(order + '.refuse')) {
  process.send({ type: 'failed', message: readFileSync(order + '.refuse', 'utf8') }, () => process.exit(1))
} else {
  const [told] = name === 'panel' ? await once(process, 'message') : [null]
  const facts = { name, told, servesSinceMs: Date.now(), pid: process.pid, uid: process.getuid(), gid: process.getgid(), script: process.argv[1], node: process.execPath, readable: readFileSync(config, 'utf8').length > 0, env: process.env }
  const entries = JSON.parse(process.env.BERTH_LISTEN)
  await Promise.all(entries.map(({ fd, kind }) => new Promise((resolve) => {
    http.createServer((_, response) => response.end(JSON.stringify({ ...facts, kind }))).listen({ fd }, resolve)
  })))
  console.error('ready at ' + Date.now())
  process.send({ type: 'ready' })
}
`

/** A product of stand-in children around the real supervisor, with its own directories and ports. */
export interface StandIn {
  dir: string
  productDir: string
  configFile: string
  ports: { panel: number; http: number; https: number; api: number }
  /** Starts a supervisor; `output` grows with all it prints. */
  start(): { process: ChildProcess; output: () => string; exit: Promise<number | null> }
  /** Stops what still runs and removes everything. */
  cleanUp(): Promise<void>
}

/** `installDir` may be shared: what lies there is keyed by content. */
export const createStandIn = async (installDir: string): Promise<StandIn> => {
  const checkout = resolve(import.meta.dirname, '../../..')
  const dir = mkdtempSync(join(tmpdir(), 'bsv-'))
  execFileSync('chmod', ['755', dir])
  const productDir = join(dir, 'product')
  for (const part of ['handlers', 'edge-cache', 'package.json'])
    cpSync(join(checkout, part), join(productDir, part), { recursive: true })
  for (const part of [
    'supervisor',
    'process',
    'config',
    'layout',
    'installed-copy',
    'machine',
    'service',
    'bin/supervisor.ts',
  ])
    cpSync(join(checkout, 'adapters/node', part), join(productDir, 'adapters/node', part), {
      recursive: true,
    })
  for (const name of ['agent', 'panel', 'web'])
    writeFileSync(join(productDir, 'adapters/node/bin', `${name}.ts`), CHILD)
  symlinkSync(join(checkout, 'node_modules'), join(productDir, 'node_modules'))
  const node = `node_modules/node-linux-${process.arch}`
  writeFileSync(
    join(productDir, 'package-lock.json'),
    JSON.stringify({
      packages: { [node]: { optional: true }, 'node_modules/vitest': { dev: true } },
    }),
  )
  const [panel = 0, http = 0, https = 0, api = 0] = await freePorts(4)
  const configFile = join(dir, 'berth.toml')
  writeFileSync(
    configFile,
    `[paths]
state_dir = "state"
home_base = "home"
run_dir = "run"
log_dir = "log"
install_dir = "${installDir}"
[panel]
listen = "127.0.0.1:${panel}"
[server]
listen = ["127.0.0.1:${http}", "[::1]:${http}"]
listen_ssl = "127.0.0.1:${https}"
[api]
listen = "127.0.0.1:${api}"
`,
  )
  const running = new Set<{ process: ChildProcess; exit: Promise<number | null> }>()
  return {
    dir,
    productDir,
    configFile,
    ports: { panel, http, https, api },
    start() {
      const child = spawn(
        join(checkout, 'node_modules/.bin/node'),
        [join(productDir, 'adapters/node/bin/supervisor.ts'), '--config', configFile],
        { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
      )
      let text = ''
      child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
      const exit = new Promise<number | null>((done) => child.on('exit', (code) => done(code)))
      const entry = { process: child, exit }
      running.add(entry)
      return { process: child, output: () => text, exit }
    },
    async cleanUp() {
      for (const { process: child, exit } of running) {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
        await exit
      }
      for (const name of ['web', 'panel', 'agent']) {
        try {
          const pid = Number(readFileSync(join(dir, 'run', `${name}.pid`), 'utf8').split(' ')[0])
          const cmdline = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          if (cmdline.includes(dir)) process.kill(pid, 'SIGKILL')
        } catch {
          // Gone, as it should be.
        }
      }
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
