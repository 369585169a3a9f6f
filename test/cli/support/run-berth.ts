import {
  fork,
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
} from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { COMPILED_SOURCES } from '#test/node/compiled-sources.ts'
import type { ResidentOrder } from './resident.ts'

const CHECKOUT = resolve(import.meta.dirname, '../../..')
/** What `berth` is where it is installed. */
const LAUNCHER = join(CHECKOUT, 'cli/berth.mjs')

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunInit {
  /** Standard input; default nothing. */
  input?: string | Uint8Array
  env?: Record<string, string>
  cwd?: string
}

/** What a program says in the end that reads `input`. */
const outcomeOf = (
  child: ChildProcessWithoutNullStreams,
  input: string | Uint8Array = '',
): Promise<Outcome> =>
  new Promise((done, reject) => {
    const out = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (out[name] += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', reject)
    child.on('close', (code) => done({ code, ...out }))
  })

/** `berth …` by the launcher that users have, with the environment as it is. */
export const runLauncher = (args: readonly string[], input = ''): Promise<Outcome> =>
  outcomeOf(spawn(process.execPath, [LAUNCHER, ...args]), input)

/** Aborts when a process ends. */
const ended = (child: ChildProcess): AbortSignal => {
  const controller = new AbortController()
  child.once('exit', () => controller.abort(new Error('the process for commands ended')))
  return controller.signal
}

/** One process for all commands of a file; null: each has its own. */
let resident: { child: ChildProcess; last: Promise<unknown> } | null = null

/**
 * From here on commands of this file are carried out by one process, which saves a start for
 * each of them; `start` begins a process of its own all the same. The file must call
 * `endResident` at its end.
 */
export const beginResident = (): void => {
  const child = fork(join(import.meta.dirname, 'resident.ts'), [], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED_SOURCES },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  resident = { child, last: Promise.resolve() }
}

/** See `beginResident`. */
export const endResident = (): void => {
  resident?.child.disconnect()
  resident = null
}

/** The command line in a home of its own, so that no profile of this machine counts. */
export class Berth {
  readonly home = mkdtempSync(join(tmpdir(), 'bcli-home-'))
  private readonly more: readonly string[]

  /** `more` stands at the end of every command, e.g. `--config`. */
  constructor(...more: string[]) {
    this.more = more
  }

  /** Starts `berth <command> <args>`, which whoever asked has to end. */
  start(
    command: string,
    args: readonly string[] = [],
    init: RunInit = {},
  ): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [join(CHECKOUT, 'cli/main.ts'), ...this.argv(command, args)], {
      cwd: init.cwd ?? this.home,
      env: this.env(init),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  private argv(command: string, args: readonly string[]): string[] {
    return [...command.split(' ').filter(Boolean), ...args, ...this.more]
  }

  private env(init: RunInit): Record<string, string | undefined> {
    return {
      PATH: process.env['PATH'],
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, 'config'),
      NODE_COMPILE_CACHE: COMPILED_SOURCES,
      ...init.env,
    }
  }

  /** As `run`, in a process of its own: what takes long would keep the commands beside it waiting. */
  runAlone(command: string, args: readonly string[] = [], init: RunInit = {}): Promise<Outcome> {
    return outcomeOf(this.start(command, args, init), init.input)
  }

  /** `berth <command> <args>`; `command` is a path such as `accounts list`. */
  run(command: string, args: readonly string[] = [], init: RunInit = {}): Promise<Outcome> {
    if (resident === null) return this.runAlone(command, args, init)
    const { child, last } = resident
    const order: ResidentOrder = {
      argv: this.argv(command, args),
      env: this.env(init),
      cwd: init.cwd ?? this.home,
      input: Buffer.from(init.input ?? '').toString('base64'),
    }
    // One at a time: an answer says not which order it is for.
    const answered = last.then(async () => {
      const answer = once(child, 'message', { signal: ended(child) })
      child.send(order)
      return (await answer)[0] as Outcome
    })
    resident.last = answered.catch(() => undefined)
    return answered
  }

  /** Standard output of a command that must succeed. */
  async ok(command: string, args: readonly string[] = [], init: RunInit = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, args, init)
    if (code !== 0) throw new Error(`berth ${command}: ${code}\n${stdout}${stderr}`)
    return stdout
  }

  /** What it prints with `--json`. */
  async json<T = Record<string, unknown>>(
    command: string,
    args: readonly string[] = [],
    init: RunInit = {},
  ): Promise<T> {
    return JSON.parse(await this.ok(command, [...args, '--json'], init)) as T
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}
