import { readSectionHead } from '../../text/section-head.ts'
import { firstWord } from '../../../../edge-cache/fields/field-text.ts'
import { resolvePath } from '../../config/paths.ts'
import type { IncludeStack } from '../include-stack.ts'
import { LegacyError } from '../legacy-error.ts'
import type { Report } from '../report.ts'
import type { Directive, Place, SourceFiles } from '../types.ts'
import { holdsSection, moduleName, newFacts, type ApacheFacts } from './apache-conditions.ts'
import { apacheLines, apacheWords } from './apache-lines.ts'

const MAX_NESTING = 50
const MAX_EXPANDED = 64 * 1024

/** Where a configuration of Apache is read from. */
export interface ApacheSource {
  files: SourceFiles
  stack: IncludeStack
  report: Report
  /** Where relative paths begin (`ServerRoot`), until the configuration names another place. */
  serverRoot: string
  /** Variables of the environment, e.g. of Debian's `envvars`. */
  environment: ReadonlyMap<string, string>
}

/** A configuration of Apache as one list, and what its conditions were decided by. */
export interface ApacheTree {
  directives: Directive[]
  facts: ApacheFacts
  serverRoot: string
}

/** An open section; `skipped`: its condition does not hold. */
interface Open extends Place {
  name: string
  into: Directive[]
  skipped: boolean
}

/**
 * Reads files of Apache httpd: includes followed, conditions decided, variables
 * filled in. Throws `LegacyError` for what Apache could not read either, for
 * loops, and where limits are met.
 */
export const readApache = (paths: readonly string[], source: ApacheSource): ApacheTree => {
  const { files, stack, report } = source
  const facts = newFacts()
  const top: Directive[] = []
  let serverRoot = source.serverRoot

  const fillIn = (text: string, at: Place): string => {
    const filled = text.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
      const value = facts.defines.get(name) ?? source.environment.get(name)
      if (value !== undefined) return value
      const used = { ...at, name: whole, spelled: whole, args: [], text: '', inside: null }
      report.lost(used, 'The variable has no value here; it stays as it is written.')
      return whole
    })
    if (filled.length > MAX_EXPANDED)
      throw new LegacyError(
        at,
        `its variables grow to more than ${MAX_EXPANDED} characters. Define them without each other.`,
      )
    return filled
  }

  /** Directives that say how to read on. True: nothing else is to be done with it. */
  const obey = (directive: Directive, into: Directive[]): boolean => {
    const [first = '', second] = directive.args
    switch (directive.name) {
      case 'include':
      case 'includeoptional':
        include(directive, into)
        return true
      case 'define':
        facts.defines.set(first, second ?? '')
        return true
      case 'undefine':
        facts.defines.delete(first)
        return true
      case 'serverroot':
        if (first.startsWith('/')) serverRoot = resolvePath('/', first)
        return true
      case 'loadmodule':
        facts.loadsModules = true
        facts.modules.add(moduleName(first))
        facts.modules.add(moduleName((second ?? '').replace(/^.*\//, '')))
        report.unneeded(directive, 'Berth has no modules to load.')
        return true
      default:
        return false
    }
  }
  const include = (directive: Directive, into: Directive[]): void => {
    const pattern = resolvePath(serverRoot, directive.args[0] ?? '')
    const found = files.expand(pattern)
    if (found.length === 0 && directive.name === 'include')
      report.lost(directive, 'There is no such file.')
    for (const path of found) readFile(path, directive, into)
  }

  const readFile = (path: string, from: Place, into: Directive[]): void => {
    stack.enter(path, from, (text) => readLines(path, text, into))
  }
  const readLines = (file: string, text: string, outer: Directive[]): void => {
    const open: Open[] = []
    for (const line of apacheLines(file, text)) {
      stack.count(line)
      const here = open.at(-1)
      if (line.text.startsWith('</')) {
        const name = /^<\/\s*([A-Za-z]\w*)\s*>/.exec(line.text)?.[1]?.toLowerCase()
        if (open.pop()?.name !== name)
          throw new LegacyError(line, `"${line.text.slice(0, 40)}" closes nothing.`)
        continue
      }
      const into = here?.into ?? outer
      const skipped = here?.skipped ?? false
      if (!line.text.startsWith('<')) {
        if (!skipped) addDirective(line, into)
        continue
      }
      const head = readSectionHead(line.text)
      if (head === null) throw new LegacyError(line, 'a section must end with ">".')
      const { name } = head
      const rest = skipped ? '' : fillIn(head.text, line)
      open.push({ ...openSection(name, rest, line, into, skipped), file, line: line.line })
      if (open.length > MAX_NESTING)
        throw new LegacyError(
          line,
          `sections nest more than ${MAX_NESTING} deep. Write the innermost ones beside the others.`,
        )
    }
    const unclosed = open.at(-1)
    if (unclosed) throw new LegacyError(unclosed, `<${unclosed.name}> is not closed.`)
  }
  const openSection = (
    spelled: string,
    text: string,
    { file, line }: Place,
    into: Directive[],
    skipped: boolean,
  ): Omit<Open, keyof Place> => {
    const name = spelled.toLowerCase()
    if (skipped) return { name, into, skipped }
    const holds = holdsSection(name, text, facts, (path) =>
      files.exists(resolvePath(serverRoot, path)),
    )
    if (holds !== null) return { name, into, skipped: !holds }
    const inside: Directive[] = []
    into.push({ file, line, name, spelled, args: apacheWords(text), text, inside })
    return { name, into: inside, skipped: false }
  }
  const addDirective = (line: Place & { text: string }, into: Directive[]): void => {
    const [name, rest] = firstWord(line.text)
    const text = fillIn(rest, line)
    const directive: Directive = {
      file: line.file,
      line: line.line,
      name: name.toLowerCase(),
      spelled: name,
      args: apacheWords(text),
      text,
      inside: null,
    }
    if (!obey(directive, into)) into.push(directive)
  }

  for (const path of paths) readFile(path, { file: path, line: 0 }, top)
  return { directives: top, facts, serverRoot }
}
