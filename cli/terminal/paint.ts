const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const

export type Paint = keyof typeof CODES

interface Stream {
  isTTY?: boolean
}

/** Whether colours are wanted on a stream: a terminal that is not dumb, and no `NO_COLOR` (no-color.org). */
export const hasColor = (
  stream: Stream = process.stdout,
  env: NodeJS.ProcessEnv = process.env,
): boolean => stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'

/** `text` in a colour, or as it is where colours are not wanted. */
export const paint = (color: Paint, text: string, enabled: boolean = hasColor()): string =>
  enabled ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text

const STATES: Readonly<Record<string, Paint>> = {
  active: 'green',
  valid: 'green',
  done: 'green',
  running: 'cyan',
  ok: 'green',
  creating: 'cyan',
  queued: 'cyan',
  suspended: 'yellow',
  expiring_soon: 'yellow',
  locked: 'yellow',
  deleting: 'yellow',
  denied: 'yellow',
  failed: 'red',
  expired: 'red',
}

/** The colour that a state's name is shown in; null: none. */
export const stateColor = (state: string): Paint | null => STATES[state] ?? null
