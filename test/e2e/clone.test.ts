import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/until-listening.ts'

const repository = new URL('../..', import.meta.url).pathname
let clone = ''
let directory = ''
const started: ChildProcess[] = []
/** What a start says that installs packages or builds the panel. */
const SETTING_UP = /^(Installing|Building) /m

/** What git tracks, as it is in the work tree, below a directory that only root may enter. */
beforeAll(async () => {
  clone = await mkdtemp('/root/berth-clone-')
  directory = await mkdtemp(join(tmpdir(), 'bc-'))
  // The unprivileged processes read the configuration and the state below it.
  await chmod(directory, 0o755)
  const { stdout } = await mustRun('git', ['-C', repository, 'ls-files', '-z'], {
    env: {
      HOME: '/root',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  })
  for (const file of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(clone, file)), { recursive: true })
    await cp(join(repository, file), join(clone, file))
  }
}, 120_000)
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
  await rm(clone, { recursive: true, force: true })
  await rm(directory, { recursive: true, force: true })
})

/** The first start installs every package and builds. */
const START_TIMEOUT_MS = 240_000

interface Ports {
  panel: number
  web: number
  ssl: number
  api: number
}

/** The environment that this test was given, without what npm and the pinned Node added to it. */
const environment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV|INIT_CWD)/i.test(name)),
  ),
  PATH: (process.env['PATH'] ?? '')
    .split(':')
    .filter((entry) => !entry.includes('node_modules'))
    .join(':'),
})

const choosePorts = async (): Promise<Ports> => {
  const [panel = 0, web = 0, ssl = 0, api = 0] = await freePorts(4)
  return { panel, web, ssl, api }
}

const writeConfig = async (name: string, ports: Ports): Promise<string> => {
  const base = join(directory, name)
  const file = join(base, 'berth.toml')
  await mkdir(base, { recursive: true, mode: 0o755 })
  await writeFile(
    file,
    `[paths]
state_dir = "${base}/state"
home_base = "${base}/home"
run_dir = "${base}/run"
log_dir = "${base}/log"
install_dir = "${directory}/opt"
[panel]
listen = ["127.0.0.1:${ports.panel}"]
[server]
listen = ["127.0.0.1:${ports.web}"]
listen_ssl = ["127.0.0.1:${ports.ssl}"]
[api]
listen = ["127.0.0.1:${ports.api}"]
`,
  )
  return file
}

/** `npm start`; resolves when panel and web server accept, with what it said until then. */
const start = async (
  file: string,
  ports: Ports,
): Promise<{ child: ChildProcess; output: string }> => {
  const child = spawn('npm', ['start', '--', '--config', file], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  const ended = once(child, 'exit').then(() => {
    throw new Error(`npm start ended: ${output.slice(-4000)}`)
  })
  ended.catch(() => undefined)
  const listening = Promise.all([
    untilListening(ports.panel, START_TIMEOUT_MS),
    untilListening(ports.web, START_TIMEOUT_MS),
  ]).catch((error: unknown) => {
    throw new Error(`npm start does not serve: ${output.slice(-4000)}`, { cause: error })
  })
  await Promise.race([listening, ended])
  const page = await fetch(`http://127.0.0.1:${ports.panel}/`)
  expect(page.status, output.slice(-4000)).toBe(200)
  return { child, output }
}

const stop = async (child: ChildProcess): Promise<void> => {
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const [code] = (await exited) as [number | null]
  expect(code).toBe(0)
}

describe('npm start in a fresh clone under /root', () => {
  test('sets everything up, two instances run side by side, and the second start has nothing to set up', async () => {
    const [one, two] = [await choosePorts(), await choosePorts()]
    const [fileOne, fileTwo] = [await writeConfig('one', one), await writeConfig('two', two)]
    const first = await start(fileOne, one)
    const beside = await start(fileTwo, two)
    const status = (await (
      await fetch(`http://127.0.0.1:${one.api}/api/v1/status`)
    ).json()) as object
    expect(status).toBeTypeOf('object')
    // Unprivileged processes cannot read the clone: they run from the installed copy.
    const processes = (await runCommand('ps', ['-eo', 'user:20=,args='])).stdout.split('\n')
    const ours = processes.filter((line) => line.includes(directory) || line.includes(fileOne))
    expect(ours.some((line) => /^berth\s.*\/opt\/.*panel\.ts/.test(line))).toBe(true)
    expect(ours.some((line) => /^berth-web\s.*\/opt\/.*web\.ts/.test(line))).toBe(true)

    await stop(first.child)
    const page = await fetch(`http://127.0.0.1:${two.panel}/`)
    expect(page.status).toBe(200)

    const again = await start(fileOne, one)
    expect(first.output).toMatch(SETTING_UP)
    expect(again.output).not.toMatch(SETTING_UP)
    await stop(again.child)
    await stop(beside.child)
    const left = (await runCommand('ps', ['-eo', 'args='])).stdout
      .split('\n')
      .filter((line) => line.includes(directory) && !line.startsWith('ps '))
    expect(left).toEqual([])
  }, 600_000)
})
