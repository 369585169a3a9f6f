import type { Log } from '#handlers/ports/log.ts'
import { openChildLog } from '../../process/child-log.ts'

const LEVELS = { info: 30, warn: 40, error: 50 } as const

/**
 * `<log_dir>/hooks.log`, JSON lines as of the other processes, put aside by size.
 * Opened for each line, so that it may be renamed at any time.
 */
export const createHooksLog = (logDir: string): Log => {
  const write =
    (level: keyof typeof LEVELS): Log['info'] =>
    (msg, fields) => {
      const log = openChildLog(logDir, 'hooks', () => undefined)
      try {
        const line = { level: LEVELS[level], time: Date.now(), name: 'hooks', ...fields, msg }
        log.write(Buffer.from(`${JSON.stringify(line)}\n`))
      } finally {
        log.close()
      }
    }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}
