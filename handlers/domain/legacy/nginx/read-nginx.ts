import { resolvePath } from '../../config/paths.ts'
import type { IncludeStack } from '../include-stack.ts'
import { LegacyError } from '../legacy-error.ts'
import type { Report } from '../report.ts'
import type { Directive, Place, SourceFiles } from '../types.ts'
import { nginxTokens, type NginxToken } from './nginx-tokens.ts'

const MAX_NESTING = 50

/** Where a configuration of nginx is read from. */
export interface NginxSource {
  files: SourceFiles
  stack: IncludeStack
  report: Report
  /** Where relative paths begin. */
  prefix: string
}

/** Lists of types and the like, whose lines are no directives. */
const DATA = new Set(['types', 'map', 'geo', 'split_clients', 'charset_map'])

/**
 * Reads files of nginx with what they include. Throws `LegacyError` for what nginx
 * could not read either, for loops, and where limits are met.
 */
export const readNginx = (paths: readonly string[], source: NginxSource): Directive[] => {
  const { files, stack, report, prefix } = source
  let depth = 0

  const include = (directive: Directive, into: Directive[]): void => {
    const pattern = resolvePath(prefix, directive.args[0] ?? '')
    const found = files.expand(pattern)
    if (found.length === 0 && !/[*?[]/.test(pattern))
      report.lost(directive, 'There is no such file.')
    for (const path of found) readFile(path, directive, into)
  }
  const readFile = (path: string, from: Place, into: Directive[]): void => {
    stack.enter(path, from, (text) => {
      const tokens = nginxTokens(path, text)
      const end = readBlock(tokens, 0, into, false)
      const stray = tokens[end]
      if (stray) throw new LegacyError(stray, '"}" closes nothing.')
    })
  }
  /** Reads directives up to the end of a block; answers the place behind it. */
  const readBlock = (
    tokens: readonly NginxToken[],
    from: number,
    into: Directive[],
    inData: boolean,
  ): number => {
    let at = from
    for (;;) {
      const first = tokens[at]
      if (first === undefined || first.kind === '}') return at
      const words: string[] = []
      let token: NginxToken | undefined = first
      while (token?.kind === 'word') {
        words.push(token.text)
        token = tokens[++at]
      }
      if (token === undefined) throw new LegacyError(first, 'a directive does not end with ";".')
      if (token.kind === '}') throw new LegacyError(first, 'a directive does not end with ";".')
      at++
      const [name, ...args] = words
      if (name === undefined) {
        if (token.kind === ';') continue
        throw new LegacyError(first, '"{" stands alone.')
      }
      const { file, line } = first
      stack.count(first)
      const directive: Directive = {
        file,
        line,
        name: name.toLowerCase(),
        spelled: name,
        args,
        text: args.join(' '),
        inside: null,
      }
      if (token.kind === '{') {
        if (++depth > MAX_NESTING)
          throw new LegacyError(
            first,
            `blocks nest more than ${MAX_NESTING} deep. Write the innermost ones beside the others.`,
          )
        const inside: Directive[] = []
        at = readBlock(tokens, at, inside, DATA.has(directive.name))
        if (tokens[at] === undefined) throw new LegacyError(first, `"${name}" is not closed.`)
        at++
        depth--
        into.push({ ...directive, inside })
      } else if (directive.name === 'include' && !inData) include(directive, into)
      else into.push(directive)
    }
  }

  const top: Directive[] = []
  for (const path of paths) readFile(path, { file: path, line: 0 }, top)
  return top
}
