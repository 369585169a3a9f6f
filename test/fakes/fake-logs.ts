import { logJudge } from '#handlers/services/logs/log-judge.ts'
import { conflict } from '#handlers/errors.ts'
import type { LogFile, LogRecord, LogsPort } from '#handlers/ports/host/logs.ts'
import { LOG_FILES } from '#handlers/ports/host/logs.ts'

/** What one call looks at most at, in lines; the real one counts bytes. */
const SCAN_LINES = 10_000
const MAX_TEXT = 8192

interface FakeLine {
  generation: number
  text: string
}

export interface FakeLogs extends LogsPort {
  /** Writes a whole line. */
  append(file: LogFile, line: string): void
  /** Puts the current file aside; its lines stay readable. */
  rotate(file: LogFile): void
  /** Empties the log, as when all rotated files are gone. */
  forget(file: LogFile): void
}

/** Logs in memory. A place is the number of a line; a generation stands for an inode. */
export const createFakeLogs = (): FakeLogs => {
  const logs = new Map<LogFile, { lines: FakeLine[]; gone: number; generation: number }>()
  const logOf = (file: LogFile) => {
    const log = logs.get(file) ?? { lines: [], gone: 0, generation: 1 }
    logs.set(file, log)
    return log
  }
  const offsetOf = (place: string): number => Number(place.split('-')[1])
  const place = (file: LogFile, offset: number): string => {
    const log = logOf(file)
    const generation = log.lines[offset - log.gone]?.generation ?? log.generation
    return `${generation}-${offset}`
  }
  const endOf = (file: LogFile): number => logOf(file).gone + logOf(file).lines.length
  const recordOf = (file: LogFile, offset: number): LogRecord => {
    const text = logOf(file).lines[offset - logOf(file).gone]?.text ?? ''
    return {
      id: place(file, offset),
      text: text.slice(0, MAX_TEXT),
      cut: text.length > MAX_TEXT,
    }
  }
  return {
    append(file, text) {
      const log = logOf(file)
      log.lines.push({ generation: log.generation, text })
    },
    rotate: (file) => void logOf(file).generation++,
    forget(file) {
      const log = logOf(file)
      log.gone += log.lines.length
      log.lines = []
      log.generation++
    },
    list: () =>
      Promise.resolve(
        LOG_FILES.flatMap((file) => {
          const log = logs.get(file)
          if (log === undefined || log.lines.length === 0) return []
          const current = log.lines.filter(({ generation }) => generation === log.generation)
          return [{ file, sizeBytes: current.reduce((sum, { text }) => sum + text.length + 1, 0) }]
        }),
      ),
    read({ file, filter, before, lines }) {
      const log = logOf(file)
      const from = before === null ? endOf(file) : offsetOf(before)
      if (from < log.gone || from > endOf(file)) {
        return Promise.reject(conflict('The log was rotated away meanwhile.'))
      }
      const judge = logJudge(file, filter)
      const records: LogRecord[] = []
      const end = place(file, endOf(file))
      const answer = (at: number, truncated: boolean) =>
        Promise.resolve({
          records,
          next: at > log.gone ? place(file, at) : null,
          truncated: truncated && at > log.gone,
          end,
        })
      for (let at = from - 1; at >= log.gone; at--) {
        const record = recordOf(file, at)
        const verdict = judge(record.text)
        if (verdict === 'early') return answer(log.gone, false)
        if (verdict === 'wanted') records.push(record)
        if (records.length >= lines) return answer(at, false)
        if (from - at >= SCAN_LINES) return answer(at, true)
      }
      return answer(log.gone, false)
    },
    place: ({ file, bytesBack }) =>
      Promise.resolve(place(file, bytesBack === 0 ? endOf(file) : logOf(file).gone)),
    follow({ file, filter, after, lines }) {
      const log = logOf(file)
      const judge = logJudge(file, filter)
      const asked = offsetOf(after)
      const start = Math.min(Math.max(asked, log.gone), endOf(file))
      const records: LogRecord[] = []
      let at = start
      for (; at < endOf(file) && records.length < lines; at++) {
        const record = recordOf(file, at)
        if (judge(record.text) === 'wanted') records.push(record)
      }
      return Promise.resolve({
        records,
        after: place(file, at),
        more: at < endOf(file),
        skipped: asked < log.gone,
      })
    },
  }
}
