import { paint, type Paint } from './paint.ts'
import { printable } from './printable.ts'

/** What every line has and nobody reads: one machine, one process, and the log's own name. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg'])

/** pino's numbers, from the worst on. */
const LEVELS: readonly (readonly [from: number, word: string, color: Paint])[] = [
  [50, 'error', 'red'],
  [40, 'warn', 'yellow'],
  [30, 'info', 'cyan'],
  [0, 'debug', 'dim'],
]

const entryOf = (line: string): Record<string, unknown> | null => {
  if (!line.startsWith('{')) return null
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' && entry !== null ? { ...entry } : null
  } catch {
    return null
  }
}

/** As `key=value`, quoted where blanks would make it look like several. */
const field = (name: string, value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${name}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`
}

/**
 * A line of a log as people read it: `2026-01-01 03:00:00  error  what happened  key=value`,
 * UTC, of the JSON lines that our processes write; every other line as it is. What
 * others put into it cannot move the cursor.
 */
export const readableLine = (line: string): string => {
  const entry = entryOf(line)
  const { level, time, msg } = entry ?? {}
  if (entry === null || typeof level !== 'number' || typeof msg !== 'string') return printable(line)
  const [, word, color] = LEVELS.find(([from]) => level >= from) ?? [0, 'debug', 'dim' as const]
  const date = typeof time === 'number' ? new Date(time) : new Date(NaN)
  const at = Number.isNaN(date.getTime())
    ? '-'.padEnd(19)
    : date.toISOString().slice(0, 19).replace('T', ' ')
  const more = Object.entries(entry)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => field(name, value))
  const said = [msg, ...more].map(printable).join('  ')
  return `${at}  ${paint(color, word.padEnd(5))}  ${said}`
}
