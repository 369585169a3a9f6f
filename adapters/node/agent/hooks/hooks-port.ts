import { join } from 'node:path'
import type { HooksPort } from '#handlers/ports/host/hooks.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { RunAs } from '../../process/as-user.ts'
import { findHooks } from './find-hooks.ts'
import { createSlots } from './slots.ts'
import { runHook } from './run-hook.ts'

/** What of a program's output stands in the log. */
const LOGGED_CHARACTERS = 4000

/** How hooks are run. */
export interface HooksOptions {
  /** `hooks.d`, below which every event has a directory. */
  directory: string
  /** Null: as this process's own user. */
  runAs: RunAs | null
  timeoutMs: number
  /** Programs that run at once. */
  atOnce: number
  /** `<log_dir>/hooks.log`. */
  log: Log
}

/** Runs the administrator's programs. */
export const createHooksPort = (options: HooksOptions): HooksPort => {
  const { directory, runAs, timeoutMs, log } = options
  const slots = createSlots(options.atOnce)
  const ownUid = process.getuid?.() ?? 0
  return {
    async run({ event, message }) {
      const { programs, refused } = await findHooks(directory, event, ownUid)
      for (const { path, reason } of refused)
        log.error('hook refused', { event, hook: path, reason })
      const failed = refused.map(
        ({ path }) => path.slice(join(directory, event).length + 1) || event,
      )
      for (const program of programs) {
        const end = await slots.run(() => runHook(program, message, { event, runAs, timeoutMs }))
        const facts = {
          event,
          hook: program,
          code: end.code,
          duration_ms: end.durationMs,
          output: end.output.slice(0, LOGGED_CHARACTERS),
        }
        if (end.fault === null) log.info('hook ran', facts)
        else {
          failed.push(program.slice(join(directory, event).length + 1))
          log.error('hook failed', { ...facts, reason: end.fault })
        }
      }
      return { ran: programs.length, failed }
    },
  }
}
