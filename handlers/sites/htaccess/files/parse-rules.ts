import { atOnce, inSlices, type Pause, type SlicedWork } from '../../../../edge-cache/index.ts'
import type { Expression } from '../../rewrite/expression.ts'
import { parseExpression } from '../../rewrite/expression.ts'
import { compilePattern, PatternError } from '../../rewrite/pattern/pattern.ts'
import type { RulePlace, RuleSource } from '../../rewrite/rule-trace.ts'
import type { Dependency } from '../../rewrite/variables.ts'
import { addRequire, readRequire } from '../directives/access-directives.ts'
import type { AccessNode, MethodLimit } from '../access/access-types.ts'
import { DirectiveError } from '../directives/directive-error.ts'
import type { DirectiveContext, Step } from '../directives/directive-types.ts'
import { DIRECTIVES, IGNORED_DIRECTIVES } from '../directives/directives.ts'
import { hasModule, hasVersion, isPageCacheModule } from '../directives/modules.ts'
import { globTest, type NameTest } from './glob-test.ts'
import { parseLines, rawWordsOf, wordsOf, type Node } from './parse-lines.ts'

/** Directives that apply together. */
export interface Block {
  steps: Step[]
  /** What carrying them out costs, in steps of a pattern. */
  cost: number
  /** `<Files>` and `<FilesMatch>`. */
  files: { test: NameTest; block: Block }[]
  /** Each a chain of `<If>`, `<ElseIf>` and `<Else>` (null): the first that holds applies. */
  ifs: { when: Expression | null; block: Block; place: RulePlace }[][]
}

/** A file understood. */
export interface ParsedRules {
  block: Block
  /** By which parts of a request the outcome may differ. */
  dependencies: ReadonlySet<Dependency>
  /** Directives that are not known, in lower case. */
  unknown: readonly string[]
}

/** Of a directive with few arguments. */
const FEW_ARGUMENTS_COST = 1 / 4
const FEW_ARGUMENTS = 4
/** Whose lists are asked later, and pay then. */
const READ_ONCE = new Set(['allow', 'deny', 'directoryindex'])

/** A directive with a list (`AddType`, `DirectoryIndex`) goes through it each time that it is carried out. */
const costOf = (name: string, args: readonly string[]): number =>
  args.length <= FEW_ARGUMENTS || READ_ONCE.has(name) ? FEW_ARGUMENTS_COST : args.length

const RAW = new Set(['rewriterule', 'rewritecond'])

const nameTest = (section: Node): NameTest => {
  const [first = '', second] = wordsOf(section.text)
  const isPattern = section.name === 'filesmatch' || first === '~'
  const text = first === '~' ? (second ?? '') : first
  if (text === '') throw new DirectiveError(`<${section.name}> needs a name`)
  if (!isPattern) return globTest(text)
  const pattern = compilePattern(text)
  return (name, budget) => pattern.match(name, budget) !== null
}

/** How a text is to be read. */
export interface ReadingRules {
  /** Path of its directory below the document root, with a final slash. */
  directory: string
  /** The text is the server's own. Default false. */
  trusted?: boolean
  /** The page cache is on, as blocks for LiteSpeed's want to know. Default false. */
  cached?: boolean
}

/** Characters of directives read before others have their turn: some 10 ms at the worst. */
const READ_AT_ONCE = 4096
/** What a directive costs beside its characters. */
const DIRECTIVE = 32

/** Reads a text, and stands still behind each directive. */
function* reading(
  text: string,
  { directory, trusted = false, cached = false }: ReadingRules,
): SlicedWork<ParsedRules> {
  const isThere = (module: string): boolean =>
    hasModule(module) || (cached && isPageCacheModule(module))
  const source: RuleSource = { name: trusted ? 'rules' : `${directory}.htaccess` }
  const dependencies = new Set<Dependency>()
  const unknown = new Set<string>()
  const depend = (...on: Dependency[]): void =>
    on.forEach((one) => one !== 'response' && dependencies.add(one))

  const negated = (argument: string, test: (name: string) => boolean): boolean => {
    const name = wordsOf(argument)[0] ?? ''
    return name.startsWith('!') ? !test(name.slice(1)) : test(name)
  }
  /** `<RequireAll>` and its kin. */
  const readGroup = (section: Node, context: DirectiveContext): AccessNode => {
    const kinds = { requireall: 'all', requireany: 'any', requirenone: 'none' } as const
    const kind = kinds[section.name as keyof typeof kinds] ?? 'all'
    const parts: AccessNode[] = []
    for (const node of section.inside ?? []) {
      if (node.inside !== null) {
        if (node.name.startsWith('require')) parts.push(readGroup(node, context))
        else if (node.name === 'ifmodule' && negated(node.text, isThere)) {
          parts.push(readGroup({ ...node, name: section.name }, context))
        }
      } else if (node.name === 'require') {
        addRequire(parts, kind, readRequire(wordsOf(node.text), context, node.text))
      } else throw new DirectiveError(`line ${node.line}: only Require may stand here`)
    }
    return { kind, parts }
  }

  function* readBlock(nodes: readonly Node[], limit: MethodLimit | null): SlicedWork<Block> {
    const block: Block = { steps: [], cost: 0, files: [], ifs: [] }
    const context: DirectiveContext = {
      ...{ directory, source, line: 0, trusted, limit, depend },
      ...{ conditions: [], requires: [], oldLines: [] },
    }
    yield* readInto(block, nodes, context)
    const { requires } = context
    if (requires.length > 0) {
      const node: AccessNode = { kind: 'any', parts: requires }
      block.cost += FEW_ARGUMENTS_COST
      block.steps.push((settings) => {
        settings.require = node
      })
    }
    return block
  }
  function* readSection(node: Node, block: Block, context: DirectiveContext): SlicedWork<void> {
    const inside = node.inside ?? []
    switch (node.name) {
      case 'ifmodule':
        if (negated(node.text, isThere)) yield* readInto(block, inside, context)
        return
      case 'ifdefine':
        if (negated(node.text, () => false)) yield* readInto(block, inside, context)
        return
      case 'ifversion':
        if (hasVersion(node.text)) yield* readInto(block, inside, context)
        return
      case 'files':
      case 'filesmatch':
        block.files.push({ test: nameTest(node), block: yield* readBlock(inside, context.limit) })
        return
      case 'limit':
      case 'limitexcept': {
        depend('method')
        const methods = wordsOf(node.text.toUpperCase())
        const limit = { methods, except: node.name === 'limitexcept' }
        yield* readInto(block, inside, { ...context, limit })
        return
      }
      case 'requireall':
      case 'requireany':
      case 'requirenone': {
        const part = readGroup(node, context)
        const { limit } = context
        context.requires.push(limit === null ? part : { kind: 'limited', limit, part })
        return
      }
      case 'if':
      case 'elseif':
      case 'else': {
        const when = node.name === 'else' ? null : readCondition(node)
        const place = { source, line: node.line }
        const branch = { when, block: yield* readBlock(inside, context.limit), place }
        const chain = block.ifs.at(-1)
        if (node.name === 'if') block.ifs.push([branch])
        else if (chain) chain.push(branch)
        else throw new DirectiveError(`<${node.name}> has no <If> before it`)
        return
      }
      default:
        unknown.add(`<${node.name}>`)
    }
  }
  const readCondition = (node: Node): Expression => {
    const source = node.text.replace(/^"([\s\S]*)"$/, '$1').replaceAll('\\"', '"')
    const expression = parseExpression(source)
    depend(...expression.dependencies)
    return expression
  }
  function* readInto(
    block: Block,
    nodes: readonly Node[],
    context: DirectiveContext,
  ): SlicedWork<void> {
    for (const node of nodes) {
      context.line = node.line
      try {
        if (node.inside !== null) yield* readSection(node, block, context)
        else {
          const read = DIRECTIVES.get(node.name)
          if (read) {
            const split = RAW.has(node.name) ? rawWordsOf : wordsOf
            const args = split(node.text)
            const step = read(args, context, node.text)
            if (step) {
              block.steps.push(step)
              block.cost += costOf(node.name, args)
            }
          } else if (!IGNORED_DIRECTIVES.has(node.name)) unknown.add(node.name)
        }
      } catch (error) {
        if (!(error instanceof DirectiveError || error instanceof PatternError)) throw error
        if (error.message.startsWith('line ')) throw error
        throw new DirectiveError(`line ${node.line}: ${node.name}: ${error.message}`)
      }
      yield node.text.length + DIRECTIVE
    }
  }
  const block = yield* readBlock(parseLines(text), null)
  return { block, dependencies, unknown: [...unknown] }
}

/**
 * Understands the text of a rules file at once. Throws `DirectiveError` for what Apache
 * would answer with 500 too; unknown directives are only listed.
 */
export const parseRules = (
  text: string,
  directory: string,
  trusted = false,
  cached = false,
): ParsedRules => atOnce(reading(text, { directory, trusted, cached }))

/** As `parseRules`, in slices of 4096 characters between which the event loop goes round (`pause`). */
export const parseRulesInSlices = (
  text: string,
  how: ReadingRules,
  pause?: Pause,
): Promise<ParsedRules> => inSlices(reading(text, how), READ_AT_ONCE, pause)
