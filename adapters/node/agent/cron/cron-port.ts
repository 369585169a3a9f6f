import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { CronPort, CronProgram, CronRunState } from '#handlers/ports/host/cron.ts'
import type { PhpVersion } from '#handlers/ports/host/php.ts'
import type { Log } from '#handlers/ports/log.ts'
import { asUser } from '../../process/as-user.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import { phpPath } from './php-path.ts'
import { runProgram, type RunningProgram } from './run-program.ts'

/** How long one question for a run waits; the panel asks again. */
const WAIT_MS = 10_000
/** Of ended runs, for a panel that was away. */
const KEEP_MS = 3_600_000
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
  log: Log
  /** Default 10000. */
  waitMs?: number
}

const UNKNOWN: CronRunState = { state: 'unknown', code: null, ended: null, output: '' }

/** `env` looks the program up in PATH; what follows `--` is no option of it. */
const argvOf = (program: CronProgram): string[] => {
  if (program.kind === 'shell') return [SHELL, '-c', program.line]
  // `env` would take it for a variable and run what follows.
  if (program.argv[0]?.includes('=') !== false)
    throw invalid('command', 'command must begin with a program, whose name has no "=".')
  return [ENV, '--', ...program.argv]
}

/** Runs programs as accounts of the registry; see `CronPort` for what each call promises. */
export const createCronPort = (deps: CronPortDeps): CronPort & { stopAll(): Promise<void> } => {
  const { registry, log } = deps
  const runs = new Map<string, RunningProgram>()
  /** Begun, and not yet in `runs`. */
  const starting = new Map<string, Promise<void>>()

  const environmentOf = async (
    account: RegisteredAccount,
    phpVersion: string | null,
    timeZone: string,
  ): Promise<Record<string, string>> => {
    const versions = await deps.phpVersions()
    const php =
      versions.find(({ version }) => version === phpVersion) ?? versions.find((one) => one.default)
    const first =
      php === undefined || php.binary === ''
        ? ''
        : `${phpPath(deps.runDir, php.version, php.binary)}:`
    return {
      PATH: `${first}${PATH}`,
      HOME: account.home,
      USER: account.username,
      LOGNAME: account.username,
      SHELL,
      LANG: 'C.UTF-8',
      TZ: timeZone,
    }
  }

  const begin: (order: Parameters<CronPort['start']>[0]) => Promise<void> = async (order) => {
    const open = (): RegisteredAccount => {
      const account = registry.account(order.username)
      if (account === null) throw notFound(`There is no account "${order.username}" on this host.`)
      if (account.suspended) throw conflict(`Account ${order.username} is suspended.`)
      return account
    }
    const env = await environmentOf(open(), order.phpVersion, order.timeZone)
    // Looked at once more: it may have been suspended meanwhile.
    const account = open()
    const running = [...runs.values()].filter((run) => run.state().state === 'running')
    if (running.length >= MOST_RUNS)
      throw unavailable(`${MOST_RUNS} jobs run at present. Try again when some have ended.`)
    const [first = '', ...rest] = argvOf(order.program)
    const { program, args } = asUser(
      deps.asRoot ? { uid: account.uid, gid: account.gid, groups: 'none' } : null,
      first,
      rest,
      { limited: account.limits ?? true, workingDirectory: account.home, dieWithParent: true },
    )
    const run = runProgram(program, args, {
      cwd: account.home,
      env,
      timeLimitMs: order.timeLimitSecs * 1000,
    })
    runs.set(order.runId, run)
    void run.ended.then(() => {
      const { code, ended } = run.state()
      log.info('a job of an account ended', {
        run: order.runId,
        username: order.username,
        code,
        ended,
      })
      setTimeout(() => runs.delete(order.runId), KEEP_MS).unref()
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
    async wait({ runId }) {
      const run = runs.get(runId)
      if (run === undefined) return { ...UNKNOWN }
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, deps.waitMs ?? WAIT_MS)
      })
      await Promise.race([run.ended, late])
      clearTimeout(timer)
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
