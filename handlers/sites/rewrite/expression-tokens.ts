import { isFunction } from './expression-functions.ts'
import { PatternError } from './pattern/pattern.ts'
import { parseExpressionText } from './expression-words.ts'
import type { Template } from './template.ts'

export type Token =
  | { kind: 'sign'; text: string }
  | { kind: 'word'; template: Template }
  | { kind: 'pattern'; source: string; noCase: boolean }
  /** A name and the `(` behind it. */
  | { kind: 'function'; name: string }

const SIGN =
  /(?:&&|\|\||==|=~|!~|!=|<=|>=|[!()<>={},]|-(?:strmatch|strcmatch|fnmatch|ipmatch|in|eq|ne|lt|le|gt|ge|[a-zA-Z])(?=[\s'"%/(])|(?:true|false)\b)/y
const SPELLED: Readonly<Record<string, string>> = {
  eq: '-eq',
  ne: '-ne',
  lt: '-lt',
  le: '-le',
  gt: '-gt',
  ge: '-ge',
  in: '-in',
  and: '&&',
  or: '||',
  not: '!',
}

/** Cuts an expression into its parts. Throws `PatternError`. */
export const parseTokens = (source: string): Token[] => {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }
  const word = (text: string): void => {
    tokens.push({ kind: 'word', template: parseExpressionText(text) })
  }
  while (at < source.length) {
    if (take(/\s+/y)) continue
    const called = take(/([a-z_]\w*)\(\s*/iy)
    if (called) {
      const name = (called[1] ?? '').toLowerCase()
      if (!isFunction(name)) throw new PatternError(`"${name}()" is not supported`)
      tokens.push({ kind: 'function', name })
      continue
    }
    const previous = tokens.at(-1)
    if (previous?.kind === 'sign' && (previous.text === '=~' || previous.text === '!~')) {
      const slashed = take(/\/((?:\\.|[^/\\])*)\/([imsx]*)/y)
      const pattern = slashed ?? take(/m([#|!,:%])((?:(?!\1).)*)\1([imsx]*)/y)?.slice(1)
      if (!pattern) throw new PatternError('a pattern is missing')
      const [, text = '', flags = ''] = pattern
      tokens.push({ kind: 'pattern', source: text, noCase: flags.includes('i') })
      continue
    }
    const quoted = take(/'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"/y)
    if (quoted) {
      word(quoted[1] ?? quoted[2] ?? '')
      continue
    }
    const sign = take(SIGN)
    if (sign) {
      tokens.push({ kind: 'sign', text: sign[0] })
      continue
    }
    const variable = take(/%\{[^}]*\}|\$\d/y)
    if (variable) {
      word(variable[0])
      continue
    }
    const bare = take(/[\w./:*@+-]+/y)
    if (!bare) throw new PatternError(`"${source.slice(at, at + 20)}" is not understood`)
    const spelled = SPELLED[bare[0].toLowerCase()]
    if (spelled !== undefined || bare[0] === '.')
      tokens.push({ kind: 'sign', text: spelled ?? '.' })
    else word(bare[0])
  }
  return tokens
}
