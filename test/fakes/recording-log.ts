import type { Log } from '#handlers/ports/log.ts'

/** Keeps what was logged, so that tests can look for secrets in it. */
export interface RecordingLog extends Log {
  lines: string[]
}

export const createRecordingLog = (): RecordingLog => {
  const lines: string[] = []
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`)
  }
  return { lines, info: write('info'), warn: write('warn'), error: write('error') }
}
