import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '#test/support/free-ports.ts'
import { childrenOf } from '#test/support/processes-of.ts'
import { COMPILED_SOURCES } from '../../compiled-sources.ts'

const ENTRY = fileURLToPath(new URL('../../../../adapters/node/bin/web.ts', import.meta.url))

export interface WebProcess {
  directory: string
  port: number
  /** All for http, `port` first. */
  ports: readonly number[]
  sslPort: number
  /** Of the management API. */
  apiPort: number
  pid: number
  /** Standard output and error. */
  output(): string
  workers(): number[]
  control(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  management(method: string, path: string): Promise<{ status: number; body: unknown }>
  /** Writes a file of generated virtual hosts (not loaded before a reload). */
  writeHosts(name: string, toml: string): void
  removeHosts(name: string): void
  /** Ends it with `signal` and resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Starts it again on the same directory. */
  startAgain(): Promise<void>
  /** Ends it, if it runs, and removes the directory. */
  remove(): Promise<void>
}

export interface WebOptions {
  workers?: number
  /** Ports for http; default: 1. */
  ports?: number
  /** Further lines of `[server]`, `[cache]` and of the end of the file. */
  server?: string
  /** `{dir}` stands for the directory; a line `storage = …` replaces the disk layer that is there otherwise. */
  cache?: string
  more?: string
  /** Options of Node for the primary, e.g. a module to load first. */
  nodeOptions?: string
}

const call = (
  where: { socketPath: string } | { host: string; port: number },
  method: string,
  path: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<{ status: number; body: unknown }> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const outgoing = request({ ...where, method, path, headers, agent: false }, (answer) => {
      let all = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => (all += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(all) }))
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })

/** Whether a process runs (a zombie does not). */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Resolves when `test` holds; rejects after `timeoutMs`. */
export const eventually = async (
  what: string,
  test: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The web server alone, as it is started by hand: it binds its own ports. */
export const startWeb = async (options: WebOptions = {}): Promise<WebProcess> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-webtest-'))
  const [sslPort = 0, apiPort = 0, ...ports] = await freePorts(2 + (options.ports ?? 1))
  const [port = 0] = ports
  for (const name of ['run', 'log', 'state', 'state/vhosts.d', 'home']) {
    mkdirSync(join(directory, name), { recursive: true })
  }
  const file = join(directory, 'berth.toml')
  const disk = 'storage = "disk"\ndisk_path = "{dir}/state/cache"\n'
  const cache = `${/^storage\b/m.test(options.cache ?? '') ? '' : disk}${options.cache ?? ''}`
  // Tests have workers stand still, longer than these may on a busy machine.
  const patience = /^worker_stall_secs\b/m.test(options.server ?? '')
    ? ''
    : 'worker_stall_secs = 600\n'
  const server = `${patience}${options.server ?? ''}`
  const config = `
[paths]
state_dir = "${directory}/state"
home_base = "${directory}/home"
run_dir = "${directory}/run"
log_dir = "${directory}/log"
[server]
listen = [${ports.map((one) => `"127.0.0.1:${one}"`).join(', ')}]
listen_ssl = ["127.0.0.1:${sslPort}"]
workers = ${options.workers ?? 2}
${server}
[api]
listen = "127.0.0.1:${apiPort}"
[cache]
${cache.replaceAll('{dir}', directory)}
${options.more ?? ''}
`
  writeFileSync(file, config)
  let child: ChildProcess
  let ended: Promise<number | null> = Promise.resolve(null)
  let output = ''
  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [ENTRY, '--config', file], {
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: COMPILED_SOURCES,
        ...(options.nodeOptions === undefined ? {} : { NODE_OPTIONS: options.nodeOptions }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    }
    ended = new Promise((resolve) => started.on('exit', (code) => resolve(code)))
    await new Promise<void>((resolve, reject) => {
      let failure: string | undefined
      started.on('message', (message: { type: string; message?: string }) => {
        if (message.type === 'ready') resolve()
        else failure = message.message
      })
      // Only when it is gone may somebody start another on the directory.
      started.on('exit', () => reject(new Error(failure ?? `the web server ended: ${output}`)))
    })
  }
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    const workers = childrenOf(child.pid ?? 0)
    child.kill(signal)
    const code = await ended
    // They hold the ports until they have seen that their primary is gone.
    await eventually('the workers have ended', () => !workers.some(isAlive))
    return code
  }
  try {
    await start()
  } catch (error) {
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
  const token = (): string => readFileSync(join(directory, 'run/management.token'), 'utf8').trim()
  return {
    directory,
    port,
    ports,
    sslPort,
    apiPort,
    get pid() {
      return child.pid ?? 0
    },
    output: () => output,
    workers: () => childrenOf(child.pid ?? 0),
    control: (method, path, body) =>
      call({ socketPath: join(directory, 'run/web.sock') }, method, path, {}, body),
    management: (method, path) =>
      call(
        { host: '127.0.0.1', port: apiPort },
        method,
        path,
        { authorization: `Bearer ${token()}` },
        undefined,
      ),
    writeHosts: (name, toml) =>
      writeFileSync(join(directory, 'state/vhosts.d', `${name}.toml`), toml),
    removeHosts: (name) => rmSync(join(directory, 'state/vhosts.d', `${name}.toml`)),
    end,
    startAgain: start,
    remove: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const killer = setTimeout(() => child.kill('SIGKILL'), 20_000)
        await end()
        clearTimeout(killer)
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
