import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Runs a program as if it stood in this one's place: same terminal, signals
 * handed on, its exit code as the result. It gets its own session, so that
 * Ctrl+C reaches it once, through us, and not a second time from the terminal; the
 * IPC channel tells it when we die without a word.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export const runForwarding = (program, args, options = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      ...options,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
    })
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1']
    for (const signal of signals) process.on(signal, () => child.kill(signal))
    child.on('error', (error) => {
      console.error(`${program} cannot be started: ${error.message}`)
      resolve(1)
    })
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
