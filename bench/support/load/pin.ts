import { mustRun } from '#adapters/node/process/run-command.ts'

/** The processor of the server under test, and that of the load generator. Origins, in this process, idle meanwhile. */
export const SERVER_CPU = 0
export const LOAD_CPU = 1

/** argv that starts a program on one processor; what it starts inherits that. */
export const pinned = (cpu: number, program: string, args: readonly string[]): string[] => [
  '/usr/bin/taskset',
  ...['-c', String(cpu), program, ...args],
]

/** Moves running processes, all their threads included. */
export const pin = async (pids: readonly number[], cpu: number): Promise<void> => {
  for (const pid of pids) await mustRun('/usr/bin/taskset', ['-acp', String(cpu), String(pid)])
}
