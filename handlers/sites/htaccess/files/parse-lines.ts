import { firstWord } from '../../../../edge-cache/index.ts'
import { readSectionHead } from '../../../domain/text/section-head.ts'
import { DirectiveError } from '../directives/directive-error.ts'

/** One directive or section of a file. */
export interface Node {
  /** Lower case; of a section without its brackets. */
  name: string
  /** What follows the name, quotes and all. */
  text: string
  /** 1-based. */
  line: number
  /** Of a section what stands in it; null for a directive. */
  inside: Node[] | null
}

/** Directives and sections of a file, but those in `LISTS`; reading one may take as long as a pattern does. */
const MAX_NODES = 2000
/** `Header` and `RequestHeader` of a file, each of which goes through the fields of a message. */
const MAX_HEADERS = 500
/** What is cheap to read, and comes in lists of thousands: addresses that are shut out, pages that moved. */
const LISTS = new Set(['allow', 'deny', 'require', 'redirect', 'redirectpermanent', 'redirecttemp'])
const MAX_NESTING = 20
/** Characters of a line with its continuations. */
const MAX_LINE = 8192

/** Lines with their continuations joined; comments and empty ones left out. */
const logicalLines = (text: string): { text: string; line: number }[] => {
  const found: { text: string; line: number }[] = []
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    const pieces: string[] = []
    let length = 0
    for (; ; at++) {
      const piece = (lines[at] as string).replace(/\r$/, '')
      const goesOn = piece.endsWith('\\') && at + 1 < lines.length
      pieces.push(goesOn ? piece.slice(0, -1) : piece)
      length += piece.length
      if (length > MAX_LINE) {
        throw new DirectiveError(`line ${line} is longer than ${MAX_LINE} characters`)
      }
      if (!goesOn) break
    }
    const whole = pieces.join('').trim()
    if (whole !== '' && !whole.startsWith('#')) found.push({ text: whole, line })
  }
  return found
}

/**
 * Reads the form of a file: directives, and sections in each other. Throws `DirectiveError`, also
 * for a line of more than 8192 characters, counted with the lines that continue it, for more than
 * 500 `Header` and `RequestHeader`, and for more than 2000 directives and sections beside lists of
 * `Require`, `Allow`, `Deny` and `Redirect`.
 */
export const parseLines = (text: string): Node[] => {
  const top: Node[] = []
  const open: Node[] = []
  let nodes = 0
  let headers = 0
  for (const { text: content, line } of logicalLines(text)) {
    const into = open.at(-1)?.inside ?? top
    const end = /^<\/\s*([A-Za-z]\w*)\s*>$/.exec(content)
    if (end) {
      const section = open.pop()
      if (section?.name !== end[1]?.toLowerCase()) {
        throw new DirectiveError(`line ${line}: </${end[1]}> closes nothing`)
      }
      continue
    }
    const isSection = content.startsWith('<')
    const [word, rest] = firstWord(content)
    const name = word.toLowerCase()
    if ((isSection || !LISTS.has(name)) && ++nodes > MAX_NODES) {
      throw new DirectiveError(`line ${line}: the file has more than ${MAX_NODES} directives`)
    }
    if ((name === 'header' || name === 'requestheader') && ++headers > MAX_HEADERS) {
      throw new DirectiveError(`line ${line}: the file has more than ${MAX_HEADERS} header rules`)
    }
    if (isSection) {
      const head = readSectionHead(content)
      if (head === null) throw new DirectiveError(`line ${line}: a section must end with ">"`)
      const node: Node = { name: head.name.toLowerCase(), text: head.text, line, inside: [] }
      into.push(node)
      open.push(node)
      if (open.length > MAX_NESTING) throw new DirectiveError(`line ${line} nests too deep`)
      continue
    }
    into.push({ name, text: rest, line, inside: null })
  }
  const unclosed = open.at(-1)
  if (unclosed) throw new DirectiveError(`line ${unclosed.line}: <${unclosed.name}> is not closed`)
  return top
}

/** Splits arguments at blanks; quotes keep them together, and a backslash keeps a quote. */
export const wordsOf = (text: string): string[] => {
  const words: string[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at++
      continue
    }
    const quote = text[at] === '"' || text[at] === "'" ? text[at] : null
    let word = ''
    if (quote) at++
    for (; at < text.length; at++) {
      const character = text[at] as string
      if (quote ? character === quote : /\s/.test(character)) break
      const next = text[at + 1]
      if (character === '\\' && (next === '\\' || (quote && next === quote))) {
        word += next
        at++
      } else word += character
    }
    if (quote) at++
    words.push(word)
  }
  return words
}

/** Splits the arguments of rewriting, where a backslash stays, and keeps a blank or a quote. */
export const rawWordsOf = (text: string): string[] => {
  const words: string[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at++
      continue
    }
    const quote = text[at] === '"' || text[at] === "'" ? text[at] : null
    if (quote) at++
    const start = at
    for (; at < text.length; at++) {
      const character = text[at] as string
      if (character === '\\' && at + 1 < text.length) at++
      else if (quote ? character === quote : /\s/.test(character)) break
    }
    words.push(text.slice(start, at))
    if (quote) at++
  }
  return words
}
