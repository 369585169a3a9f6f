/** So long may a masked statement be; what is beyond is cut off. */
const LONGEST = 1000

/** End of a text in quotes that begins at `at`; a doubled quote is part of it, and so is one behind `\` where that counts. */
const endOfQuoted = (sql: string, at: number, escapes: boolean): number => {
  const quote = sql[at]
  let index = at + 1
  while (index < sql.length) {
    if (escapes && sql[index] === '\\') index += 2
    else if (sql[index] !== quote) index += 1
    else if (sql[index + 1] === quote) index += 2
    else return index + 1
  }
  return sql.length
}

const endOf = (sql: string, mark: string, from: number): number => {
  const found = sql.indexOf(mark, from)
  return found === -1 ? sql.length : found + mark.length
}

const isWord = (letter: string | undefined): boolean =>
  letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter)

/** `$$` or `$tag$` at this place; null: none. */
const dollarTag = (sql: string, at: number): string | null =>
  /^\$(?:[A-Za-z_]\w{0,62})?\$/.exec(sql.slice(at, at + 66))?.[0] ?? null

/**
 * A statement with `?` in place of every value, without comments, on one line: equal for
 * statements that differ in their values alone, and without what a site put into them. Takes
 * time in proportion to the length, whatever was written.
 */
export const maskedStatement = (sql: string, kind: 'mariadb' | 'postgresql'): string => {
  const mysql = kind === 'mariadb'
  const parts: string[] = []
  let length = 0
  const put = (part: string): void => {
    parts.push(part)
    length += part.length
  }
  let at = 0
  while (at < sql.length && length < 2 * LONGEST) {
    const letter = sql[at] ?? ''
    const two = sql.slice(at, at + 2)
    const tag = letter === '$' && !mysql && !isWord(sql[at - 1]) ? dollarTag(sql, at) : null
    if (letter === "'" || (letter === '"' && mysql)) {
      const escapes = mysql || /[eE]/.test(sql[at - 1] ?? '')
      at = endOfQuoted(sql, at, escapes)
      put('?')
    } else if (letter === '"' || (letter === '`' && mysql)) {
      const end = endOfQuoted(sql, at, false)
      put(sql.slice(at, Math.min(end, at + 130)))
      at = end
    } else if (tag !== null) {
      at = endOf(sql, tag, at + tag.length)
      put('?')
    } else if (two === '/*') {
      at = endOf(sql, '*/', at + 2)
      put(' ')
    } else if (two === '--' || (letter === '#' && mysql)) {
      at = endOf(sql, '\n', at)
      put(' ')
    } else if (/[0-9]/.test(letter)) {
      let end = at + 1
      while (isWord(sql[end]) || sql[end] === '.') end += 1
      put('?')
      at = end
    } else if (isWord(letter)) {
      let end = at + 1
      while (isWord(sql[end])) end += 1
      put(sql.slice(at, Math.min(end, at + 130)))
      at = end
    } else {
      put(letter)
      at += 1
    }
  }
  const line = parts
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/\?(?: ?, ?\?)+/g, '?, …')
    .trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}
