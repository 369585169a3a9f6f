import type { LogFile } from '../../ports/host/logs.ts'
import type { LogEntry } from './log-entry.ts'
import { parseAccessLine } from './parse-access-line.ts'
import { parseErrorLine, parseJsonLine, parsePhpLine } from './parse-text-lines.ts'

const PARSERS: Readonly<Record<LogFile, (line: string) => LogEntry>> = {
  access: parseAccessLine,
  error: parseErrorLine,
  php: parsePhpLine,
  hooks: parseJsonLine,
  web: parseJsonLine,
  panel: parseJsonLine,
  agent: parseJsonLine,
}

/** What a line says; one that is not in the log's format is all message, of no domain. */
export const parseLogLine = (file: LogFile, line: string): LogEntry => PARSERS[file](line)
