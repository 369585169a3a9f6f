import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { conflict, unavailable } from '#handlers/errors.ts'
import type { PhpVersion } from '#handlers/ports/host/php.ts'
import { asUser } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'
import { signalGroup } from '../../process/programs/signal-group.ts'
import { commandLine } from '../php/command-line.ts'
import type { RegisteredAccount } from '../registry/types.ts'

const RUNNER = fileURLToPath(new URL('../../../wordpress/runner.php', import.meta.url))
const MAX_ANSWER_BYTES = 1024 * 1024
/** Of one account: each may take as long as its site likes, up to its limit. */
const MOST_RUNS = 4
const PATH = '/usr/local/bin:/usr/bin:/bin'
const NO_ANSWER =
  'The WordPress of this site gave no answer in time. Try again, or look into its log.'

/** What runs the runner. */
export interface RunInSiteDeps {
  asRoot: boolean
  phpVersions: () => Promise<PhpVersion[]>
  /** Of our own MariaDB, where there is one: what `localhost` means to PHP. */
  databaseSocket: () => string | null
}

/** How long a run may take (default: 30 s), and what it hands on by descriptor 4. */
export interface RunOptions {
  timeoutMs?: number
  /** Of the answer. Default: 1 MiB. */
  mostBytes?: number
  /** Takes what the runner sends. */
  send?: Writable
  /** What the runner takes. */
  take?: Readable
}

/**
 * Gives the runner (`adapters/wordpress/runner.php`) one order, as the account and with the
 * command line of a PHP version. The order goes to its standard input and may hold secrets;
 * the answer is checked against `data`, since whatever the site's own code does there is the
 * account's. 409 with what the site says where it refuses or says nothing sensible, 503
 * where PHP has no command line, or the account has several runs under way.
 */
export type RunInSite = <T>(
  account: RegisteredAccount,
  phpVersion: string | null,
  order: { op: string } & Record<string, unknown>,
  data: z.ZodType<T>,
  options?: RunOptions,
) => Promise<T>

const answerOf = <T>(data: z.ZodType<T>) =>
  z.union([
    z.object({ ok: z.literal(true), data }),
    z.object({ ok: z.literal(false), error: z.string().max(2000) }),
  ])

/** Of a text that the site chose, one line for people. */
const shown = (text: string): string =>
  [...text].map((char) => (char < ' ' || char === '\u007f' ? ' ' : char)).join('')

const php = async (deps: RunInSiteDeps, version: string | null): Promise<string> => {
  const binary = commandLine(await deps.phpVersions(), version)?.binary ?? ''
  if (!/^php[0-9.]*$/.test(basename(binary)))
    throw unavailable(
      `PHP ${version ?? ''} has no command line on this server. Install php${version ?? ''}-cli.`,
    )
  return binary
}

/** What a stream brings, at most so much of it; null where it is more. */
const collect = async (source: Readable, mostBytes: number): Promise<string | null> => {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of source) {
    bytes += (piece as Buffer).length
    if (bytes <= mostBytes) pieces.push(piece as Buffer)
  }
  return bytes > mostBytes ? null : Buffer.concat(pieces).toString('utf8')
}

/** Makes the way into sites; see `RunInSite`. */
export const createRunInSite = (deps: RunInSiteDeps): RunInSite => {
  const start = async (account: RegisteredAccount, version: string | null, handsOn: boolean) => {
    const socket = deps.databaseSocket()
    const settings = [
      'display_errors=0',
      'log_errors=0',
      'html_errors=0',
      // Traces would hold what functions were given.
      'zend.exception_ignore_args=1',
      'memory_limit=512M',
      'opcache.enable_cli=0',
      ...(socket === null ? [] : [`mysqli.default_socket=${socket}`]),
    ]
    const args = [...settings.flatMap((setting) => ['-d', setting]), '-f', RUNNER]
    const who = deps.asRoot ? { uid: account.uid, gid: account.gid, groups: 'none' as const } : null
    const run = asUser(who, await php(deps, version), args, {
      limited: true,
      dieWithParent: true,
      workingDirectory: account.home,
    })
    return spawn(run.program, run.args, {
      cwd: account.home,
      env: { ...CLEAN_ENV, PATH, HOME: account.home, USER: account.username, LANG: 'C.UTF-8' },
      // Its words go nowhere: they are the site's, and may hold what nobody is to read in a log.
      stdio: ['pipe', 'ignore', 'ignore', 'pipe', handsOn ? 'pipe' : 'ignore'],
      detached: true,
    })
  }

  const running = new Map<string, number>()
  /** One more run of an account, or 503; ends with what is answered. */
  const begin = (username: string): (() => void) => {
    const now = running.get(username) ?? 0
    if (now >= MOST_RUNS)
      throw unavailable(
        'Several WordPress operations of this account are under way. Try again in a moment.',
      )
    running.set(username, now + 1)
    return () => {
      const left = (running.get(username) ?? 1) - 1
      if (left === 0) running.delete(username)
      else running.set(username, left)
    }
  }

  const run: RunInSite = async (account, phpVersion, order, data, options = {}) => {
    const { timeoutMs = 30_000, mostBytes = MAX_ANSWER_BYTES, send, take } = options
    const child = await start(account, phpVersion, send !== undefined || take !== undefined)
    const handed = child.stdio[4]
    const end = (): void => signalGroup(child, 'SIGKILL')
    const timer = setTimeout(end, timeoutMs)
    try {
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(JSON.stringify(order))
      // What becomes of the pieces is told by the two runs, each by its answer.
      if (send !== undefined && handed instanceof Readable)
        void pipeline(handed, send).catch(() => undefined)
      if (take !== undefined && handed instanceof Writable)
        void pipeline(take, handed).catch(() => undefined)
      const failed = new Promise<never>((_, reject) => child.once('error', reject))
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      // What it left running holds the descriptor open, and goes with it.
      void exited.then(end)
      const text = await Promise.race([collect(child.stdio[3] as Readable, mostBytes), failed])
      await Promise.race([exited, failed])
      let said: unknown = null
      try {
        said = JSON.parse(text ?? '')
      } catch {
        // Judged below.
      }
      const answer = answerOf(data).safeParse(said)
      if (!answer.success) throw conflict(NO_ANSWER)
      if (!answer.data.ok) throw conflict(`WordPress: ${shown(answer.data.error)}`)
      return answer.data.data
    } finally {
      clearTimeout(timer)
      end()
      if (take !== undefined) handed?.destroy()
    }
  }

  return async (account, ...rest) => {
    const ended = begin(account.username)
    try {
      return await run(account, ...rest)
    } finally {
      ended()
    }
  }
}
