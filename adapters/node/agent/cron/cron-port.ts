import { invalid, unavailable } from '#handlers/errors.ts'
import type {
  CronPort,
  CronProgram,
  CronRunOrder,
  CronRunState,
} from '#handlers/ports/host/cron.ts'
import type { PhpVersion } from '#handlers/ports/host/php.ts'
import type { Log } from '#handlers/ports/log.ts'
import { asUser } from '../../process/as-user.ts'
import type { ProgramLimits } from '../../process/as-user.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import { commandLine } from '../php/command-line.ts'
import { phpPath } from './php-path.ts'
import { createProcessRooms } from './process-rooms.ts'
import { runProgram, type RunningProgram } from './run-program.ts'
import { activeAccount } from '../registry/active-account.ts'

/** How long one question for a run waits; the panel asks again. */
const WAIT_MS = 10_000
/** Of ended runs, for a panel that was away; each holds what it wrote. */
const MOST_KEPT = 200
/** Of all accounts; each account's own processes are bounded by the kernel. */
const MOST_RUNS = 200
const PATH = '/usr/local/bin:/usr/bin:/bin'
const SHELL = '/bin/sh'
const ENV = '/usr/bin/env'

export interface CronPortDeps {
  registry: Pick<Registry, 'account'>
  asRoot: boolean
  runDir: string
  phpVersions: () => Promise<PhpVersion[]>
  /** Directory and variables of an account's application, and directories of its runtime's programs. 404 where there is none. */
  surroundings: (
    username: string,
    name: string,
    release?: string,
  ) => { directory: string; env: Record<string, string>; programs: string[] }
  /** How git fetches a repository for an application. 400 from where it may not. */
  source: (
    program: Extract<CronProgram, { kind: 'source' }>,
    asking: { home: string; name: string },
  ) => Promise<{ argv: string[]; env: Record<string, string> }>
  /** Directory of programs of ours that come first in PATH; default: none. */
  programs?: string
  /** Directory of settings that PHP reads beside its own; default: none. */
  phpSettings?: string
  log: Log
  /** Default 10000. */
  waitMs?: number
}

const UNKNOWN: CronRunState = { state: 'unknown', code: null, ended: null, output: '' }

/** `env` looks the program up in PATH; what follows `--` is no option of it. */
const argvOf = (program: Exclude<CronProgram, { kind: 'source' }>): string[] => {
  if (program.kind === 'shell') return [SHELL, '-c', program.line]
  // `env` would take it for a variable and run what follows.
  if (program.argv[0]?.includes('=') !== false)
    throw invalid('command', 'command must begin with a program, whose name has no "=".')
  return [ENV, '--', ...program.argv]
}

/** Builds of applications run on Node, which maps far more than it uses; the account's group holds them. */
const limitsOf = ({ limits }: RegisteredAccount, isBuild: boolean): ProgramLimits | 'own' => {
  if (limits === null) return 'own'
  return isBuild ? { ...limits, memoryMb: null } : limits
}

/** Runs programs as accounts of the registry; see `CronPort` for what each call promises. */
export const createCronPort = (deps: CronPortDeps): CronPort & { stopAll(): Promise<void> } => {
  const { registry, log } = deps
  const runs = new Map<string, RunningProgram>()
  /** Ended, in the order of their ends; true: somebody was told. */
  const kept = new Map<string, boolean>()
  const rooms = createProcessRooms(log)
  /** Begun, and not yet in `runs`. */
  const starting = new Map<string, Promise<void>>()

  const environmentOf = async (
    account: RegisteredAccount,
    phpVersion: string | null,
    timeZone: string,
  ): Promise<Record<string, string>> => {
    const php = commandLine(await deps.phpVersions(), phpVersion)
    const first = php === null ? '' : `${phpPath(deps.runDir, php.version, php.binary)}:`
    return {
      PATH: `${first}${deps.programs === undefined ? '' : `${deps.programs}:`}${PATH}`,
      HOME: account.home,
      USER: account.username,
      LOGNAME: account.username,
      SHELL,
      LANG: 'C.UTF-8',
      TZ: timeZone,
      // What stands before the colon is PHP's own directory.
      ...(deps.phpSettings === undefined ? {} : { PHP_INI_SCAN_DIR: `:${deps.phpSettings}` }),
    }
  }

  /** Keeps what a run wrote; of too many, one goes that was told of. */
  const keep = (runId: string): void => {
    kept.set(runId, false)
    if (kept.size <= MOST_KEPT) return
    const gone = [...kept].find(([, told]) => told)?.[0] ?? kept.keys().next().value
    if (gone === undefined) return
    kept.delete(gone)
    runs.delete(gone)
  }

  /** What is started with which variables; `isPart`: as a part of an application. */
  const commandOf = async (
    { username, application, release, program }: CronRunOrder,
    { home }: RegisteredAccount,
    own: Record<string, string>,
  ): Promise<{ argv: string[]; env: Record<string, string>; isPart: boolean }> => {
    if (application === undefined) {
      if (program.kind === 'source') throw invalid('program', 'program needs an application.')
      return { argv: argvOf(program), env: own, isPart: false }
    }
    const part = deps.surroundings(username, application, release)
    const source =
      program.kind === 'source' ? await deps.source(program, { home, name: application }) : null
    const argv = source?.argv ?? (program.kind === 'source' ? [] : argvOf(program))
    return {
      // As the account: with our rights a link of his could lead us anywhere.
      argv: [ENV, `--chdir=${part.directory}`, '--', ...argv],
      env: { ...own, ...part.env, PATH: [...part.programs, own['PATH']].join(':'), ...source?.env },
      isPart: true,
    }
  }

  const begin: (order: Parameters<CronPort['start']>[0]) => Promise<void> = async (order) => {
    const open = (): RegisteredAccount => activeAccount(registry, order.username)
    const own = await environmentOf(open(), order.phpVersion, order.timeZone)
    const { argv, env, isPart } = await commandOf(order, open(), own)
    const room = deps.asRoot ? await rooms() : null
    // Looked at once more: it may have been suspended meanwhile.
    const account = open()
    if (runs.size - kept.size >= MOST_RUNS)
      throw unavailable(`${MOST_RUNS} jobs run at present. Try again when some have ended.`)
    const [first = '', ...rest] = [...(room?.first ?? []), ...argv]
    const { program, args } = asUser(
      deps.asRoot ? { uid: account.uid, gid: account.gid, groups: 'none' } : null,
      first,
      rest,
      {
        limited: limitsOf(account, isPart),
        workingDirectory: account.home,
        dieWithParent: true,
        before: room?.words ?? [],
      },
    )
    const run = runProgram(program, args, {
      cwd: account.home,
      env,
      timeLimitMs: order.timeLimitSecs * 1000,
    })
    runs.set(order.runId, run)
    void run.ended.then(() => {
      const { code, ended } = run.state()
      keep(order.runId)
      log.info('a job of an account ended', {
        run: order.runId,
        username: order.username,
        code,
        ended,
      })
    })
  }

  return {
    async start(order) {
      if (runs.has(order.runId)) return
      const under = starting.get(order.runId)
      if (under !== undefined) return under
      const begun = begin(order).finally(() => starting.delete(order.runId))
      starting.set(order.runId, begun)
      return begun
    },
    async wait({ runId, patienceMs = WAIT_MS }) {
      const run = runs.get(runId)
      if (run === undefined) return { ...UNKNOWN }
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.min(patienceMs, deps.waitMs ?? WAIT_MS))
      })
      await Promise.race([run.ended, late])
      clearTimeout(timer)
      if (kept.has(runId)) kept.set(runId, true)
      return run.state()
    },
    async stop({ runId }) {
      runs.get(runId)?.stop('stopped')
    },
    async stopAll() {
      for (const run of runs.values()) run.stop('stopped')
      await Promise.all([...runs.values()].map((run) => run.ended))
    },
  }
}
