import type { Rule } from 'eslint'

/** What is read of a syntax tree; ESLint's own types know nothing of TypeScript's nodes. */
interface Syntax {
  type: string
  loc: { start: Place; end: Place }
  [property: string]: unknown
}
interface Place {
  line: number
  column: number
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && 'type' in value

const child = (node: Syntax, property: string): Syntax | null => {
  const value = node[property]
  return isSyntax(value) ? value : null
}

const children = (node: Syntax | null, property: string): Syntax[] => {
  const value = node?.[property]
  return Array.isArray(value) ? value.filter(isSyntax) : []
}

const nameOf = (node: Syntax): string | null => {
  const named = child(node, 'id') ?? child(node, 'key') ?? node
  const name = named['name'] ?? named['value']
  return typeof name === 'string' ? name : null
}

/** The statement itself, or each of the variables that it declares. */
const declaredIn = (statement: Syntax): Syntax[] =>
  statement.type === 'VariableDeclaration' ? children(statement, 'declarations') : [statement]

const isFunction = (node: Syntax | null): boolean =>
  node !== null &&
  ['ArrowFunctionExpression', 'FunctionExpression', 'TSFunctionType'].includes(node.type)

/** Whether somebody else calls the member. What fulfils an interface is described there. */
const isMethod = (member: Syntax): boolean => {
  if (child(member, 'key')?.type === 'PrivateIdentifier') return false
  if (member['accessibility'] === 'private' || member['override'] === true) return false
  const annotation = child(member, 'typeAnnotation')
  switch (member.type) {
    case 'TSMethodSignature':
      return true
    case 'TSPropertySignature':
      return annotation !== null && isFunction(child(annotation, 'typeAnnotation'))
    case 'MethodDefinition':
      return member['kind'] !== 'constructor'
    case 'PropertyDefinition':
      return isFunction(child(member, 'value'))
    default:
      return false
  }
}

/** Members of a type that is written out. */
const membersOfType = (type: Syntax | null): Syntax[] => {
  if (type?.type === 'TSTypeLiteral') return children(type, 'members')
  if (type?.type === 'TSIntersectionType') return children(type, 'types').flatMap(membersOfType)
  return []
}

/** Methods of an interface, a class or a type; of overloads the first, which speaks for all. */
const methodsOf = (declaration: Syntax): Syntax[] => {
  if (children(declaration, 'implements').length > 0) return []
  const members =
    declaration.type === 'TSTypeAliasDeclaration'
      ? membersOfType(child(declaration, 'typeAnnotation'))
      : children(child(declaration, 'body'), 'body')
  const seen = new Set<string | null>()
  return members.filter(isMethod).filter((method) => {
    const name = nameOf(method)
    const isFirst = name === null || !seen.has(name)
    seen.add(name)
    return isFirst
  })
}

/**
 * An ESLint rule: whatever a module exports has a doc comment where it is defined, and
 * so has each method of an exported interface, class or type. What is passed on from
 * another module (`export … from`) is that module's. Whether the comment is a good one
 * is for a reader to say; that it is more than blanks is checked.
 */
export const requireDocComments: Rule.RuleModule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      missing:
        '{{name}} is exported without a doc comment. Say its shapes, units, defaults and errors, not its name again.',
    },
  },
  create(context) {
    const { sourceCode } = context
    const isDocumented = (node: Syntax): boolean => {
      const before = sourceCode.getCommentsBefore(node as never)
      const block = before.filter(({ type }) => type === 'Block').at(-1)
      return block !== undefined && /^\*[\s*]*[^\s*]/.test(block.value)
    }
    const requireComment = (node: Syntax, name: string): void => {
      if (!isDocumented(node))
        context.report({ loc: node.loc, messageId: 'missing', data: { name } })
    }
    /** @param statement what the comment stands before: the export, or the declaration */
    const requireAll = (statement: Syntax, declaration: Syntax): void => {
      const [first] = declaredIn(declaration)
      const name = (first && nameOf(first)) ?? 'default'
      requireComment(statement, name)
      for (const method of methodsOf(declaration))
        requireComment(method, `${name}.${nameOf(method) ?? '[computed]'}`)
    }
    return {
      Program(program) {
        const statements = children(program as unknown as Syntax, 'body')
        let overloaded: string | null = null
        for (const statement of statements) {
          if (!/^Export(?:Named|Default)Declaration$/.test(statement.type)) continue
          const declaration = child(statement, 'declaration')
          if (declaration === null) {
            if (child(statement, 'source') !== null) continue
            const wanted = children(statement, 'specifiers').map(
              (specifier) => child(specifier, 'local')?.['name'],
            )
            const own = statements.filter((other) =>
              declaredIn(other).some((one) => child(one, 'id') && wanted.includes(nameOf(one))),
            )
            for (const other of own) requireAll(other, other)
            continue
          }
          // The first of overloads speaks for all, and for the function behind them.
          const name = nameOf(declaration)
          const isNext = overloaded !== null && name === overloaded
          overloaded = declaration.type === 'TSDeclareFunction' ? name : null
          if (!isNext) requireAll(statement, declaration)
        }
      },
    }
  },
}
