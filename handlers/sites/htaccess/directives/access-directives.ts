import { parseExpression } from '../../rewrite/expression.ts'
import { readBlock, type AddressBlock } from '../../rewrite/pattern/match-address.ts'
import type { AccessNode, AccessTest, OldLine } from '../access/access-types.ts'
import { DirectiveError } from './directive-error.ts'
import type { DirectiveContext, DirectiveReader, Step } from './directive-types.ts'
import type { OldAccess, Settings } from '../files/settings.ts'

const readTest = (
  [kind = '', ...rest]: string[],
  text: string,
  context: DirectiveContext,
): AccessTest => {
  switch (kind.toLowerCase()) {
    case 'all': {
      const word = (rest[0] ?? '').toLowerCase()
      if (word !== 'granted' && word !== 'denied') {
        throw new DirectiveError('Require all must be granted or denied')
      }
      return { kind: 'all', granted: word === 'granted' }
    }
    case 'ip': {
      context.depend('address')
      if (rest.length === 0) throw new DirectiveError('"" is not an address')
      const blocks = rest.map((text): AddressBlock => {
        const block = readBlock(text)
        if (block === null) throw new DirectiveError(`"${text}" is not an address`)
        return block
      })
      return { kind: 'address', blocks }
    }
    case 'host':
    case 'forward-dns':
      context.depend('address')
      return { kind: 'host', names: rest.map((name) => name.toLowerCase()) }
    case 'local':
      context.depend('address')
      return { kind: 'local' }
    case 'env':
      return { kind: 'env', names: rest }
    case 'method':
      context.depend('method')
      return { kind: 'method', methods: rest.map((name) => name.toUpperCase()) }
    case 'expr': {
      const source = text.replace(/^[\s\S]*?\bexpr\s+/i, '').trim()
      const expression = parseExpression(
        rest.length === 1 && /^["']/.test(source) ? (rest[0] ?? '') : source,
      )
      context.depend(...expression.dependencies)
      return { kind: 'expression', expression }
    }
    case 'user':
      context.depend('authorization')
      return { kind: 'user', names: rest }
    case 'group':
      context.depend('authorization')
      return { kind: 'group', names: rest }
    case 'valid-user':
      context.depend('authorization')
      return { kind: 'valid-user' }
    default:
      throw new DirectiveError(`Require cannot ask for "${kind}"`)
  }
}

/** Reads one `Require` line. */
export const readRequire = (
  args: string[],
  context: DirectiveContext,
  text: string,
): AccessNode => {
  if (args.length === 0) throw new DirectiveError('Require needs a condition')
  const negative = args[0]?.toLowerCase() === 'not'
  const words = negative ? args.slice(1) : args
  const node: AccessNode = { kind: 'test', test: readTest(words, text, context), negative }
  const { limit } = context
  return limit === null ? node : { kind: 'limited', limit, part: node }
}

/**
 * Adds to conditions of which all, any or none must hold. A list of addresses, of which each has
 * a line, becomes one condition where that says the same.
 */
export const addRequire = (
  parts: AccessNode[],
  kind: 'all' | 'any' | 'none',
  node: AccessNode,
): void => {
  const last = parts.at(-1)
  if (
    node.kind === 'test' &&
    node.test.kind === 'address' &&
    last?.kind === 'test' &&
    last.test.kind === 'address' &&
    last.negative === node.negative &&
    (node.negative || kind !== 'all')
  ) {
    last.test.blocks.push(...node.test.blocks)
  } else parts.push(node)
}

/** A block's old directives replace those above it. */
const oldOf = (settings: Settings, owner: object): OldAccess => {
  if (settings.oldAccess?.owner === owner) return settings.oldAccess
  return (settings.oldAccess = { orders: [], lines: [], owner })
}

/** This machine, which alone is known by its name: names are not looked up. */
export const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => readBlock(text) ?? [])

/** Lists have thousands of lines, so those of a block become one; names of other hosts match nobody. */
const readFrom = (args: string[], context: DirectiveContext, allow: boolean): Step | null => {
  if (args[0]?.toLowerCase() !== 'from' || args.length < 2) {
    throw new DirectiveError('Allow and Deny are followed by "from"')
  }
  const { limit, oldLines } = context
  const known = oldLines.find((one) => one.allow === allow && one.limit === limit)
  const line: OldLine = known ?? { allow, limit, all: false, variables: [], blocks: [] }
  for (const place of args.slice(1).map((text) => text.toLowerCase())) {
    if (place === 'all') line.all = true
    else if (place.startsWith('env=')) {
      const negative = place.startsWith('!', 4)
      line.variables.push({ name: place.slice(negative ? 5 : 4), negative })
    } else {
      context.depend('address')
      const block = readBlock(place)
      if (block !== null) line.blocks.push(block)
      else if (place === 'localhost') line.blocks.push(...LOOPBACK)
    }
  }
  if (known) return null
  oldLines.push(line)
  return (settings) => {
    oldOf(settings, context.requires).lines.push(line)
  }
}

/** Who may see what: mod_authz_*, mod_access_compat, mod_auth_basic. */
export const ACCESS_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  require: (args, context, text) => {
    addRequire(context.requires, 'any', readRequire(args, context, text))
    return null
  },
  order: ([first = '', second = ''], context) => {
    const order = `${first}${second === '' ? '' : `,${second}`}`.toLowerCase().replace(/,+/g, ',')
    if (!['allow,deny', 'deny,allow', 'mutual-failure'].includes(order)) {
      throw new DirectiveError('Order must be "allow,deny" or "deny,allow"')
    }
    const { limit } = context
    return (settings) => {
      const { orders } = oldOf(settings, context.requires)
      orders.push({ allowFirst: order !== 'deny,allow', limit })
    }
  },
  allow: (args, context) => readFrom(args, context, true),
  deny: (args, context) => readFrom(args, context, false),
  satisfy: ([word = '']) => {
    const any = word.toLowerCase()
    if (any !== 'any' && any !== 'all') throw new DirectiveError('Satisfy must be Any or All')
    return (settings) => {
      settings.satisfyAny = any === 'any'
    }
  },
  authtype: ([type = '']) => {
    return (settings) => {
      settings.authType = type.toLowerCase() === 'none' ? null : type.toLowerCase()
    }
  },
  authname: ([name = '']) => {
    return (settings) => {
      settings.authName = name
    }
  },
  authuserfile: ([path = ''], { trusted }) => {
    return (settings) => {
      settings.userFile = { path, trusted }
    }
  },
  authgroupfile: ([path = ''], { trusted }) => {
    return (settings) => {
      settings.groupFile = { path, trusted }
    }
  },
}
