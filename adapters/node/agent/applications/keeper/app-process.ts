import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { readPaced } from '../../../process/programs/read-paced.ts'
import { signalGroup } from '../../../process/programs/signal-group.ts'
import type { AppLog } from './app-log.ts'

/** Between the request to end and the end. */
const GRACE_MS = 10_000

/** How a program ended: its exit code, or null where a signal ended it. */
export type AppEnd = { code: number | null; signal: NodeJS.Signals | null }

/** One run of an application's program, in a process group of its own. */
export interface AppProcess {
  pid: number | null
  /** Never rejects. */
  ended: Promise<AppEnd>
  /** Aborts with its end. */
  gone: AbortSignal
  /** Asks it and all of its group to end, and ends them after ten seconds; resolves when the program is gone. */
  end(): Promise<void>
}

/** Starts the owner's line; a line that cannot be started ends with code 127, as the shell has it. */
export const startApp = (
  line: string,
  options: { cwd: string; env: Record<string, string>; log: AppLog },
): AppProcess => {
  const gone = new AbortController()
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const source of [child.stdout, child.stderr])
    readPaced(source, (chunk) => options.log.write(chunk))
  const signal = (name: NodeJS.Signals): void => signalGroup(child, name)
  const ended = new Promise<AppEnd>((resolve) => {
    child.once('error', (error) => {
      options.log.write(Buffer.from(`${error.message}\n`))
      resolve({ code: 127, signal: null })
    })
    child.once('exit', (code, how) => {
      // What it started and left behind would listen on in place of the next one.
      signal('SIGKILL')
      resolve({ code, signal: how })
    })
  })
  void ended.then(() => gone.abort())
  return {
    pid: child.pid ?? null,
    ended,
    gone: gone.signal,
    async end() {
      signal('SIGTERM')
      const killer = new AbortController()
      void delay(GRACE_MS, undefined, { signal: killer.signal }).then(
        () => signal('SIGKILL'),
        () => undefined,
      )
      await ended
      killer.abort()
    },
  }
}
