/** Rules that panel and host hold an application's settings to, so that neither takes what the other refuses. */
export const APPLICATION_RULES = {
  /** Of 1 to 32 characters, a letter first. */
  name: /^[a-z][a-z0-9-]{0,31}$/,
  /** As `runtimes()` lists versions. */
  version: /^\d{1,3}(?:\.\d{1,4}){0,2}$/,
  /** Of a variable. */
  variable: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  /** Path that a health question asks for, with what may follow it. */
  healthPath: /^\/[\x21-\x7e]{0,1023}$/,
  /** Path of a site; what lies below it is passed on, too. */
  sitePath: /^\/[\x21-\x7e]{0,1023}$/,
  maxLine: 4096,
  maxValue: 8192,
  maxVariables: 200,
  /** Of all names and values together. */
  maxEnvironment: 65_536,
  maxSitePaths: 50,
  startLimitSecs: [1, 600],
  instances: [1, 16],
  memoryMb: [32, 1_000_000],
  cpuPercent: [1, 100_000],
  sleepAfterSecs: [60, 2_592_000],
} as const

/** Variables that Berth itself gives every application. */
const OURS: ReadonlySet<string> = new Set([
  ...['SOCKET', 'PORT', 'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'IFS'],
])

/** Why a name is none of a variable that an owner may set; null: it is one. */
export const variableNameFault = (name: string): string | null => {
  if (!APPLICATION_RULES.variable.test(name))
    return 'must be 1 to 128 letters, digits and "_", and not begin with a digit.'
  return OURS.has(name) ? 'is set by Berth itself.' : null
}

/** Why a value is none that a variable can have; null: it is one. */
export const variableValueFault = (value: string): string | null => {
  if (value.length > APPLICATION_RULES.maxValue)
    return `must be at most ${APPLICATION_RULES.maxValue} characters.`
  if (value.includes('\0')) return 'must not contain NUL.'
  return value.isWellFormed() ? null : 'must be valid Unicode.'
}

/** Why variables are too many, or too long together; null: they are not. */
export const environmentFault = (environment: Readonly<Record<string, string>>): string | null => {
  const entries = Object.entries(environment)
  if (entries.length > APPLICATION_RULES.maxVariables)
    return `must be at most ${APPLICATION_RULES.maxVariables} variables.`
  const length = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return length > APPLICATION_RULES.maxEnvironment
    ? `must be at most ${APPLICATION_RULES.maxEnvironment} characters together.`
    : null
}

/** Why a text is no line for `sh -c`; null: it is one. */
export const lineFault = (line: string): string | null => {
  if (line.trim() === '') return 'must not be empty.'
  if (line.length > APPLICATION_RULES.maxLine)
    return `must be at most ${APPLICATION_RULES.maxLine} characters.`
  if (/[\0\r\n]/.test(line)) return 'must be one line.'
  return line.isWellFormed() ? null : 'must be valid Unicode.'
}
