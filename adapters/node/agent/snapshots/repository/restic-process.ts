import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { RunAs } from '../../../process/as-user.ts'
import { CLEAN_ENV } from '../../../process/clean-env.ts'

export const RESTIC = '/usr/bin/restic'
const KILL_AFTER_MS = 10_000
const MAX_ERROR_CHARS = 64 * 1024
/** Reading whatever there is, and nothing else of root's rights. */
const READER = '+dac_read_search'

/** How a program of ours is run; null user: as ourselves (rootless mode). */
export interface ResticOrder {
  user: RunAs | null
  /** File of a mount namespace. */
  namespace?: string | null
  /** Whether it may read what belongs to others. */
  readsAll?: boolean
  /** Whether disk and processor are for everything else first. */
  gently?: boolean
  /** Secrets are in here, and in private files, never in `args`. */
  env: Record<string, string>
  args: readonly string[]
  signal?: AbortSignal | undefined
}

/** A running restic. */
export interface ResticProcess {
  stdout: Readable
  /** Ends with the process; never rejects but where it could not be started. */
  ended: Promise<{ code: number | null; stderr: string }>
  /** Lets it remove its locks, then insists. */
  stop(): void
}

/** The command line: the user, no way to more rights, no life of its own; gently: the idle class of disk and processor. */
export const resticCommand = (order: ResticOrder): { program: string; args: string[] } => {
  const { user, namespace, readsAll = false, gently = false } = order
  const only = readsAll ? `-all,${READER}` : '-all'
  const words = [
    ...(namespace ? ['/usr/bin/nsenter', `--mount=${namespace}`, '--wdns=/', '--'] : []),
    ...(gently ? ['/usr/bin/ionice', '-c', '3', '-t', '/usr/bin/nice', '-n', '19'] : []),
    '/usr/bin/setpriv',
    ...(user === null
      ? []
      : [
          `--reuid=${user.uid}`,
          `--regid=${user.gid}`,
          '--clear-groups',
          `--inh-caps=${only}`,
          ...(readsAll ? [`--ambient-caps=${only}`] : []),
          `--bounding-set=${only}`,
        ]),
    ...['--no-new-privs', '--pdeathsig=SIGKILL', '--', RESTIC, ...order.args],
  ]
  const [program = '', ...args] = words
  return { program, args }
}

/** Starts restic. What it prints must be read to its end. */
export const startRestic = (order: ResticOrder): ResticProcess => {
  const { program, args } = resticCommand(order)
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...CLEAN_ENV, ...order.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_ERROR_CHARS)
  })
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    if (timer !== undefined || child.exitCode !== null) return
    child.kill('SIGINT')
    timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  }
  if (order.signal?.aborted === true) stop()
  order.signal?.addEventListener('abort', stop)
  const ended = once(child, 'close').then(
    ([code]: unknown[]) => ({ code: typeof code === 'number' ? code : null, stderr }),
    (error: unknown) => ({ code: null, stderr: String(error) }),
  )
  void ended.then(() => {
    clearTimeout(timer)
    order.signal?.removeEventListener('abort', stop)
  })
  return { stdout: child.stdout, ended, stop }
}

/** The values of JSON lines, one after the other; what is none is passed over. */
export async function* jsonLines(source: Readable): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: source, crlfDelay: Infinity })) {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      continue
    }
    yield value
  }
}
