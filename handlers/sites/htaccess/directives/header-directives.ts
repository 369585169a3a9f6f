import { parseExpression, type Expression } from '../../rewrite/expression.ts'
import { compilePattern } from '../../rewrite/pattern/pattern.ts'
import { parseExpressionText } from '../../rewrite/expression-words.ts'
import { dependenciesOf } from '../../rewrite/template.ts'
import { dependencyOf } from '../../rewrite/variables.ts'
import { DirectiveError } from './directive-error.ts'
import type { DirectiveContext, DirectiveReader } from './directive-types.ts'
import type { EnvironmentRule, HeaderRule } from '../files/settings.ts'

const ACTIONS = ['set', 'append', 'add', 'merge', 'unset', 'edit', 'edit*', 'setifempty', 'echo']
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const isAction = (word: string): word is HeaderRule['action'] => ACTIONS.includes(word)

/** Takes a trailing `env=` or `expr=` off the arguments. */
const takeCondition = (
  args: string[],
  context: DirectiveContext,
): { env: HeaderRule['env']; expression: Expression | null } => {
  const last = args.at(-1) ?? ''
  if (/^env=/i.test(last)) {
    args.pop()
    const name = last.slice(4)
    const negative = name.startsWith('!')
    return { env: { name: negative ? name.slice(1) : name, negative }, expression: null }
  }
  if (/^expr=/i.test(last)) {
    args.pop()
    const expression = parseExpression(last.slice(5))
    context.depend(...expression.dependencies)
    return { env: null, expression }
  }
  return { env: null, expression: null }
}

const NO_CONDITION = { env: null, expression: null }

const readHeader = (given: string[], context: DirectiveContext, response: boolean): HeaderRule => {
  const args = [...given]
  const first = (args[0] ?? '').toLowerCase()
  const always = response && first === 'always'
  if (response && (first === 'always' || first === 'onsuccess')) args.shift()
  const action = (args.shift() ?? '').toLowerCase()
  if (!isAction(action)) throw new DirectiveError(`Header cannot "${action}"`)
  // Of a name and one more argument the second is the value.
  const isAlone = args.length < 3 && action !== 'unset' && action !== 'echo'
  const condition = isAlone ? NO_CONDITION : takeCondition(args, context)
  const name = (args.shift() ?? '').replace(/:$/, '')
  if (!NAME.test(name)) throw new DirectiveError(`"${name}" is not the name of a header`)
  const isEdit = action === 'edit' || action === 'edit*'
  if (isEdit && args.length < 2) throw new DirectiveError('Header edit needs a pattern and a text')
  const needsValue = !isEdit && action !== 'unset' && action !== 'echo'
  if (action === 'echo') context.depend('header')
  if (needsValue && args[0] === undefined) throw new DirectiveError(`Header ${name} needs a value`)
  const pattern = isEdit ? compilePattern(args.shift() ?? '') : null
  const value = args[0] ?? ''
  const template = needsValue && /^expr=/i.test(value) ? parseExpressionText(value.slice(5)) : null
  if (template) context.depend(...dependenciesOf(template))
  return { action, name, value, template, pattern, always, ...condition }
}

const ATTRIBUTES = [
  'remote_host',
  'remote_addr',
  'remote_user',
  'server_addr',
  'request_method',
  'request_protocol',
  'request_uri',
]

/** `NAME`, `NAME=value` or `!NAME`. */
const readAssignment = (text: string): EnvironmentRule['set'][number] => {
  if (text.startsWith('!')) return { name: text.slice(1), value: null }
  const equals = text.indexOf('=')
  if (equals === -1) return { name: text, value: '1' }
  return { name: text.slice(0, equals), value: text.slice(equals + 1) }
}

const readSetEnvIf = (args: string[], context: DirectiveContext, noCase: boolean) => {
  const [attribute, source, ...names] = args
  if (attribute === undefined || source === undefined || names.length === 0) {
    throw new DirectiveError('SetEnvIf needs an attribute, a pattern and a variable')
  }
  const lower = attribute.toLowerCase()
  const named = ATTRIBUTES.includes(lower)
  if (named && lower === 'request_protocol') context.depend('header')
  else context.depend(dependencyOf(named ? attribute : `HTTP:${attribute}`))
  const rule: EnvironmentRule = {
    when: { attribute: named ? lower : attribute, pattern: compilePattern(source, noCase) },
    set: names.map(readAssignment),
  }
  return rule
}

const environment =
  (read: (args: string[], context: DirectiveContext) => EnvironmentRule): DirectiveReader =>
  (args, context) => {
    const rule = read(args, context)
    return (settings) => {
      settings.environment.push(rule)
    }
  }

/** mod_headers, mod_env and mod_setenvif. */
export const HEADER_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  header: (args, context) => {
    const rule = readHeader(args, context, true)
    return (settings) => {
      settings.headers.push(rule)
    }
  },
  requestheader: (args, context) => {
    const rule = readHeader(args, context, false)
    return (settings) => {
      settings.requestHeaders.push(rule)
    }
  },
  setenv: environment(([name, value = '']) => {
    if (name === undefined) throw new DirectiveError('SetEnv needs a name')
    return { when: null, set: [{ name, value }] }
  }),
  unsetenv: environment((names) => ({
    when: null,
    set: names.map((name) => ({ name, value: null })),
  })),
  setenvif: environment((args, context) => readSetEnvIf(args, context, false)),
  setenvifexpr: environment(([source, ...names], context) => {
    if (source === undefined || names.length === 0) {
      throw new DirectiveError('SetEnvIfExpr needs an expression and a variable')
    }
    const when = parseExpression(source)
    context.depend(...when.dependencies)
    return { when, set: names.map(readAssignment) }
  }),
  setenvifnocase: environment((args, context) => readSetEnvIf(args, context, true)),
  browsermatch: environment((args, context) =>
    readSetEnvIf(['User-Agent', ...args], context, false),
  ),
  browsermatchnocase: environment((args, context) =>
    readSetEnvIf(['User-Agent', ...args], context, true),
  ),
}
