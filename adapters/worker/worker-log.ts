import type { Log } from '#handlers/ports/log.ts'

/** JSON lines on the console, which Workers collects. */
export const createWorkerLog = (): Log => {
  const line = (message: string, fields: Record<string, unknown> = {}): string =>
    JSON.stringify({ message, ...fields })
  const sink = console
  return {
    info: (message, fields) => sink.info(line(message, fields)),
    warn: (message, fields) => sink.warn(line(message, fields)),
    error: (message, fields) => sink.error(line(message, fields)),
  }
}
