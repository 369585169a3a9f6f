import { existsSync } from 'node:fs'
import { runCommand } from '../process/run-command.ts'
import { ServiceError } from './service-error.ts'

/** Longer than what a unit gives its start; ours may give more. */
const LIMIT_MS = 330_000

/** systemctl, by argv. */
export interface Systemctl {
  /** Rejects with what it said when it failed. */
  must(...args: string[]): Promise<string>
  /** Whether it said yes. */
  ask(...args: string[]): Promise<boolean>
  /** Standard output, whatever the exit code. */
  read(...args: string[]): Promise<string>
}

/** Whether systemd runs this machine (sd_booted(3)). */
export const isSystemdRunning = (directory = '/run/systemd/system'): boolean =>
  existsSync(directory)

export const createSystemctl = (program = '/usr/bin/systemctl', limitMs = LIMIT_MS): Systemctl => {
  const run = (args: readonly string[]) =>
    runCommand(program, ['--no-ask-password', '--no-pager', ...args], { timeoutMs: limitMs })
  return {
    async must(...args) {
      const { code, stdout, stderr } = await run(args)
      if (code === 0) return stdout
      throw new ServiceError(
        `systemctl ${args.join(' ')} failed (${code}): ${stderr.trim() || stdout.trim()}\nSee: berth service logs`,
      )
    },
    ask: async (...args) => (await run(args)).code === 0,
    read: async (...args) => (await run(args)).stdout,
  }
}
