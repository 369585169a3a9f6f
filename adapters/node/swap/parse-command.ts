/** What a server's command line says about how it runs. */
export interface ServerCommand {
  /** The words to start it in the background. */
  startArgs: string[]
  /** The words that name its configuration. */
  configArgs: string[]
  /** `-f` or `-c` as given; null: the built-in one. */
  config: string | null
  /** `-d` or `-p` as given. */
  base: string | null
  foreground: boolean
}

/** Options of httpd(8) with a value. */
const APACHE_VALUES = 'dfDcCeEk'

/** Command line of an Apache httpd, without its first word. */
export const parseApacheCommand = (words: readonly string[]): ServerCommand => {
  const kept: string[] = []
  const command: ServerCommand = {
    startArgs: [],
    configArgs: kept,
    config: null,
    base: null,
    foreground: false,
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const letter = word.charAt(1)
    if (word === '-X') command.foreground = true
    if (!word.startsWith('-') || !APACHE_VALUES.includes(letter) || letter === '') continue
    const value = word.length > 2 ? word.slice(2) : (words[++at] ?? '')
    if (letter === 'k') continue
    if (letter === 'f') command.config = value
    if (letter === 'd') command.base = value
    if (letter === 'D' && value === 'FOREGROUND') command.foreground = true
    kept.push(`-${letter}`, value)
  }
  command.startArgs = [...kept, '-k', 'start']
  return command
}

/**
 * What nginx's master shows as its title: its command line joined by blanks,
 * after `nginx: master process`. Null when it is no master's.
 */
export const parseNginxTitle = (title: string): ServerCommand | null => {
  const begin = /^nginx: master process \S+/.exec(title)?.[0]
  if (begin === undefined) return null
  const text = title.slice(begin.length)
  const kept: string[] = []
  const values = new Map<string, string>()
  for (const part of text.split(/ (?=-[a-zA-Z])/).filter((one) => one.startsWith('-'))) {
    const letter = part.charAt(1)
    const value = part.slice(2).trim()
    if (!'cpge'.includes(letter) || value === '') continue
    values.set(letter, value)
    kept.push(`-${letter}`, value)
  }
  return {
    startArgs: kept,
    configArgs: kept,
    config: values.get('c') ?? null,
    base: values.get('p') ?? null,
    foreground: /daemon\s+off/.test(values.get('g') ?? ''),
  }
}
