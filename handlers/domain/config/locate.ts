/** A place in a TOML document: keys and array indexes from the top. */
export type ConfigPath = readonly (string | number)[]

/** Parts of a path of which the line is kept; no key of ours lies so deep, and each costs as much as all before it. */
const MAX_PARTS = 32

const idOf = (path: ConfigPath): string => JSON.stringify(path)

/** Dotted form for people, e.g. `cache.memory_limit`, `virtualhost[2].root`. */
export const dottedPath = (path: ConfigPath): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const key = /^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part)
    return text === '' ? key : `${text}.${key}`
  }, '')

/**
 * Finds the line of every key in TOML that a parser has already accepted (the
 * parser keeps no positions). Answers the line (1-based) of the longest known
 * prefix of a path, so a missing key is reported at its table; 0 for the file.
 */
export const locateConfig = (text: string): ((path: ConfigPath) => number) => {
  const lines = new Map<string, number>()
  const counts = new Map<string, number>()
  let at = 0
  let line = 1
  const remember = (path: ConfigPath): void => {
    if (path.length > MAX_PARTS) return
    const id = idOf(path)
    if (!lines.has(id)) lines.set(id, line)
  }
  const advance = (length = 1): void => {
    for (const end = at + length; at < end && at < text.length; at++) {
      if (text.charCodeAt(at) === 10) line++
    }
  }
  const skip = (characters: RegExp): void => {
    for (;;) {
      const c = text[at]
      if (c === undefined) return
      if (c === '#') while (at < text.length && text[at] !== '\n') at++
      else if (characters.test(c)) advance()
      else return
    }
  }
  const quoted = (): string => {
    const quote = text[at] ?? ''
    const long = text.startsWith(quote.repeat(3), at) ? 3 : 1
    const start = at + long
    advance(long)
    while (at < text.length && !text.startsWith(quote.repeat(long), at))
      advance(quote === '"' && text[at] === '\\' ? 2 : 1)
    const raw = text.slice(start, at)
    advance(long)
    // A long string may end in one or two quotes of its own.
    while (long === 3 && text[at] === quote) advance()
    if (quote === "'") return raw
    try {
      return String(JSON.parse(`"${raw}"`))
    } catch {
      return raw // an escape JSON does not know; only used as a name
    }
  }
  const key = (): string[] => {
    const parts: string[] = []
    for (;;) {
      skip(/[ \t]/)
      if (text[at] === '"' || text[at] === "'") parts.push(quoted())
      else {
        const start = at
        while (at < text.length && /[A-Za-z0-9_-]/.test(text[at] ?? '')) at++
        parts.push(text.slice(start, at))
      }
      skip(/[ \t]/)
      if (text[at] !== '.') return parts
      at++
    }
  }
  const keyed = (base: ConfigPath): void => {
    const parts = key()
    const depth = Math.min(parts.length, MAX_PARTS)
    for (let n = 1; n <= depth; n++) remember([...base, ...parts.slice(0, n)])
    if (text[at] === '=') at++
    value([...base, ...parts].slice(0, MAX_PARTS))
  }
  const list = (closing: string, item: (index: number) => void): void => {
    at++
    for (let index = 0; ; index++) {
      skip(/[\s,]/)
      if (at >= text.length) return
      if (text[at] === closing) {
        at++
        return
      }
      const before = at
      item(index)
      if (at === before) advance() // never stand still, whatever the text
    }
  }
  const value = (path: ConfigPath): void => {
    skip(/[ \t]/)
    const c = text[at]
    if (c === '"' || c === "'") quoted()
    else if (c === '{') list('}', () => keyed(path))
    else if (c === '[')
      list(']', (index) => {
        const inner = path.length < MAX_PARTS ? [...path, index] : path
        remember(inner)
        value(inner)
      })
    else while (at < text.length && !/[,\]}\n#]/.test(text[at] ?? '')) at++
  }
  /** A header's keys with the index of the last element put in for every array of tables on the way. */
  const resolve = (parts: string[], isArray: boolean): ConfigPath => {
    let path: (string | number)[] = []
    parts.slice(0, MAX_PARTS).forEach((part, n) => {
      path = [...path, part]
      const id = idOf(path)
      if (isArray && n === parts.length - 1) counts.set(id, (counts.get(id) ?? -1) + 1)
      remember(path)
      const count = counts.get(id)
      if (count !== undefined) path = [...path, count]
    })
    return path
  }
  let table: ConfigPath = []
  for (;;) {
    skip(/\s/)
    if (at >= text.length) break
    const before = at
    if (text[at] === '[') {
      const isArray = text[at + 1] === '['
      at += isArray ? 2 : 1
      table = resolve(key(), isArray)
      remember(table)
      at += isArray ? 2 : 1
    } else keyed(table)
    if (at === before) advance()
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const found = lines.get(idOf(path.slice(0, length)))
      if (found !== undefined) return found
    }
    return 0
  }
}
