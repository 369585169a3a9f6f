import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { CronRunState } from '#handlers/ports/host/cron.ts'
import { readPaced } from '../../process/programs/read-paced.ts'
import { signalGroup } from '../../process/programs/signal-group.ts'
import { createBoundedOutput } from './bounded-output.ts'

/** Between the request to end and the end. */
const GRACE_MS = 5_000
/** What was written before the end may still be on its way. */
const LAST_OUTPUT_MS = 1_000
const LOOK_EVERY_MS = 5

/** A program that runs. */
export interface RunningProgram {
  state(): CronRunState
  /** Resolves when it has ended, never rejects. */
  ended: Promise<void>
  /** Asks it to end, and ends it with all that it started. */
  stop(why: 'stopped' | 'timeout'): void
}

/** Ends when the kernel knows nobody of that process group any more. */
const groupEnds = async (group: number): Promise<void> => {
  const deadlineMs = performance.now() + LAST_OUTPUT_MS
  while (performance.now() < deadlineMs) {
    try {
      process.kill(-group, 0)
    } catch {
      return
    }
    await delay(LOOK_EVERY_MS)
  }
}

/**
 * Runs a program in a session of its own, so that all it starts can be ended with it:
 * a run leaves nothing behind.
 */
export const runProgram = (
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; timeLimitMs: number },
): RunningProgram => {
  const output = createBoundedOutput()
  let ended: CronRunState['ended'] = null
  let final: Pick<CronRunState, 'code' | 'ended'> | null = null
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  for (const source of [child.stdout, child.stderr]) readPaced(source, (chunk) => output.add(chunk))
  const signal = (name: NodeJS.Signals): void => signalGroup(child, name)
  let killer: NodeJS.Timeout | undefined
  const stop = (why: 'stopped' | 'timeout'): void => {
    if (final !== null || ended !== null) return
    ended = why
    signal('SIGTERM')
    killer = setTimeout(() => signal('SIGKILL'), GRACE_MS)
  }
  const limit = setTimeout(() => stop('timeout'), options.timeLimitMs)

  const done = new Promise<void>((resolve) => {
    const finish = (code: number | null): void => {
      if (final !== null) return
      clearTimeout(limit)
      clearTimeout(killer)
      final = { code, ended: ended ?? (code === null ? 'signal' : null) }
      resolve()
    }
    child.once('error', (error) => {
      output.add(Buffer.from(`${error.message}\n`))
      finish(null)
    })
    child.once('exit', (code) => {
      signal('SIGKILL')
      const closed = new Promise((close) => child.once('close', close))
      const gone = Promise.all([closed, groupEnds(child.pid ?? 0)])
      const late = delay(LAST_OUTPUT_MS, undefined, { ref: false })
      void Promise.race([gone, late]).then(() => finish(code))
    })
  })
  return {
    state: () => ({
      state: final === null ? 'running' : 'ended',
      code: final?.code ?? null,
      ended: final?.ended ?? null,
      output: output.text(),
    }),
    ended: done,
    stop,
  }
}
