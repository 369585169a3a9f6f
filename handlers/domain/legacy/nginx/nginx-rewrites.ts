import type { Report } from '../report.ts'
import { escapePattern } from '../rule-lines.ts'
import type { Directive, LegacyRewrite, LegacySite, RuleCheck } from '../types.ts'
import { nameText, nginxText } from './nginx-texts.ts'
import { envOf, isFlagValue, nginxTemplate, type NginxNames } from './values/nginx-variables.ts'

/** Who judges and notes what becomes of rewrites, and what stands for variables. */
export interface RewriteDeps {
  check: RuleCheck
  report: Report
  names: NginxNames
  /** Variables that anything asks for. */
  asked: ReadonlySet<string>
  /** Where texts of answers go. */
  site: LegacySite
}

/** What surrounds the directives of a block. */
interface Around {
  conditions: string[]
  /** What stands before the digit of a group that conditions found. */
  sign: '$' | '%'
  /** Type of texts, without their charset. */
  type: string
}

const NO_VARIABLE = 'It uses a variable that Berth does not have. Write the rule out in rewrites.'

/** What of the query a target means, and the target without it. */
const splitQuery = (target: string, isReturn: boolean): { text: string; flag: string | null } => {
  const kept = target.replace(/\$is_args\$(?:args|query_string)$|\?\$(?:args|query_string)$/, '')
  if (kept !== target) return { text: kept, flag: null }
  if (/\$request_uri$/.test(target)) return { text: target, flag: null }
  if (target.endsWith('?')) return { text: target.slice(0, -1), flag: 'QSD' }
  if (isReturn) return { text: target, flag: target.includes('?') ? null : 'QSD' }
  return { text: target, flag: target.includes('?') ? 'QSA' : null }
}

const flagsOf = (...flags: (string | null)[]): string =>
  flags.filter((flag) => flag !== null).join(',')

/** `return`. Null: it is named in the report. */
const readReturn = (
  directive: Directive,
  { conditions, sign, type }: Around,
  { report, names, site }: RewriteDeps,
): LegacyRewrite | null => {
  const [first = '', second] = directive.args
  const isUrl = /^(?:https?:\/\/|\$scheme)/.test(first)
  const status = isUrl ? 302 : Number(first)
  const target = isUrl ? first : second
  const isText = status >= 200 && status <= 599 && (status < 300 || status > 399)
  if (isText && status !== 204 && status !== 444 && (target ?? '') !== '') {
    const body = nginxText(target ?? '')
    if (body !== null)
      return { pattern: '^', target: nameText(site, { status, type, body }), flags: '', conditions }
    report.lost(directive, 'Its text holds a variable. Let a script answer.')
    return null
  }
  if (status === 403) return { pattern: '^', target: '-', flags: 'F', conditions }
  if (status >= 300 && status <= 399 && target !== undefined) {
    const { text, flag } = splitQuery(target, true)
    const filled = nginxTemplate(text, names, sign)
    if (filled !== null) {
      const noEscape = /%[0-9a-f]{2}/i.test(text) ? 'NE' : null
      return {
        pattern: '^',
        target: filled,
        flags: flagsOf(`R=${status}`, 'L', flag, noEscape),
        conditions,
      }
    }
    report.lost(directive, NO_VARIABLE)
    return null
  }
  if (status === 444) {
    report.changed(directive, 'Berth answers 400 instead of hanging up.')
    return { pattern: '^', target: '-', flags: 'R=400', conditions }
  }
  if (status >= 200 && status < 300 && (target === undefined || target === ''))
    return { pattern: '^', target: '-', flags: `R=${status}`, conditions }
  if (status < 400 || status > 599 || Number.isNaN(status)) {
    report.lost(directive, 'Berth answers with no such status.')
    return null
  }
  return { pattern: '^', target: '-', flags: `R=${status}`, conditions }
}

const NOT_ASKED = 'Nothing that is carried over asks for this variable.'

/** `set` of a variable, which the rules behind it may ask for. */
const readSet = (
  directive: Directive,
  { conditions, sign }: Around,
  { report, names, asked }: RewriteDeps,
): LegacyRewrite | null => {
  const [given = '', value = ''] = directive.args
  const variable = /^\$(\w{1,64})$/.exec(given)?.[1]
  if (variable !== undefined && !asked.has(variable)) {
    report.unneeded(directive, NOT_ASKED)
    return null
  }
  const filled = variable === undefined ? null : nginxTemplate(value, names, sign)
  if (variable === undefined || filled === null || !isFlagValue(filled)) {
    report.lost(directive, NO_VARIABLE)
    return null
  }
  names.own.add(variable)
  return { pattern: '^', target: '-', flags: `"E=${envOf(variable)}:${filled}"`, conditions }
}

const END: Readonly<Record<string, string | null>> = {
  last: 'L',
  break: 'END',
  redirect: 'R=302,L',
  permanent: 'R=301,L',
}

const readRewrite = (
  directive: Directive,
  conditions: string[],
  { report, names }: RewriteDeps,
): LegacyRewrite | null => {
  const [pattern = '', replacement = '', word = ''] = directive.args
  const { text, flag } = splitQuery(replacement, false)
  const filled = nginxTemplate(text, names)
  if (filled === null) {
    report.lost(directive, NO_VARIABLE)
    return null
  }
  const isAddress = /^(?:https?:\/\/|\$scheme)/.test(replacement)
  const end = END[word] ?? (isAddress ? 'R=302,L' : null)
  return { pattern, target: filled === '' ? '/' : filled, flags: flagsOf(end, flag), conditions }
}

/** `$cookie_x` and `$arg_x` as a condition on what holds them all; null: it is another variable, or a pattern. */
const partCondition = (name: string, operator = '', given = ''): string | null => {
  const found = /^\$\{?(cookie|arg)_(\w{1,64})\}?$/.exec(name)
  if (!found || operator.includes('~')) return null
  const [, kind, part = ''] = found
  const isCookie = kind === 'cookie'
  const end = isCookie ? ';' : '&'
  const value = given.trimStart().replace(/^(["'])([\s\S]*)\1$/, '$2')
  if (/[$"]/.test(value)) return null
  // An empty one, and one that is not there, are the same.
  const wanted = value === '' ? `[^${end}]` : `${escapePattern(value)}(?:${end}|$)`
  const not = operator !== '' && (operator === '=') === (value === '') ? '!' : ''
  const subject = isCookie ? '%{HTTP_COOKIE}' : '%{QUERY_STRING}'
  const before = isCookie ? '(?:^|; ?)' : '(?:^|&)'
  return `${subject} "${not}${before}${part}=${wanted}"${isCookie ? '' : ' [NC]'}`
}

/** `if (…)` as conditions of `RewriteCond`; null: Berth cannot ask for it. */
const nginxCondition = (args: readonly string[], names: NginxNames): string[] | null => {
  const given = args.join(' ')
  const text = given
    .slice(given.startsWith('(') ? 1 : 0, given.endsWith(')') ? -1 : undefined)
    .trim()
  const file = /^(!?)-([fde])\s+(\S+)$/.exec(text)
  const subject = (name: string): string | null => nginxTemplate(name, names)
  if (file) {
    const [, not = '', kind = '', name = ''] = file
    const path = subject(name)
    if (path === null) return null
    if (kind !== 'e') return [`${path} ${not}-${kind}`]
    return not === '' ? [`${path} -f [OR]`, `${path} -d`] : [`${path} !-f`, `${path} !-d`]
  }
  const [, name = '', operator, value = ''] =
    /^(\$\w+|\$\{\w+\})(?:\s*(!?~\*?|!?=)([\s\S]*))?$/.exec(text) ?? []
  const part = partCondition(name, operator, value)
  if (part !== null) return [part]
  const left = name === '' ? null : subject(name)
  if (left === null) return null
  if (operator === undefined) return [`${left} !^0?$`]
  const bare = value.trimStart().replace(/^(["'])([\s\S]*)\1$/, '$2')
  const not = operator.startsWith('!') ? '!' : ''
  if (operator.endsWith('=')) {
    if (/[$"]/.test(bare)) return null
    return [`${left} ${bare === '' ? `${not}^$` : `"${not}=${bare}"`}`]
  }
  const noCase = operator.endsWith('*') ? ' [NC]' : ''
  if (bare.includes('"')) return null
  return [`${left} "${not}${bare}"${noCase}`]
}

/**
 * `return`, `rewrite` and `if` of one block as rules, in their order. What cannot
 * be one is named in the report.
 */
export const convertNginxRewrites = (
  directives: readonly Directive[],
  deps: RewriteDeps,
  around: Partial<Around> & Pick<Around, 'type'>,
): LegacyRewrite[] => {
  const { conditions = [], sign = '$', type } = around
  const whole: Around = { conditions, sign, type }
  const { report } = deps
  const rules: LegacyRewrite[] = []
  const add = (directive: Directive, rule: LegacyRewrite | null): void => {
    if (rule === null) return
    const wrong = deps.check.rewrite(rule)
    if (wrong === null) rules.push(rule)
    else report.lost(directive, `The rule is not understood: ${wrong}.`)
  }
  for (const directive of directives) {
    const { name, inside } = directive
    if (name === 'return') add(directive, readReturn(directive, whole, deps))
    else if (name === 'set') add(directive, readSet(directive, whole, deps))
    else if (name === 'rewrite') add(directive, readRewrite(directive, conditions, deps))
    else if (name === 'break' && conditions.length === 0) {
      add(directive, { pattern: '^', target: '-', flags: 'END', conditions })
    } else if (name === 'if') {
      const asked = nginxCondition(directive.args, deps.names)
      if (asked === null) {
        report.lost(directive, 'Berth cannot ask for this. Write the rule out in rewrites.')
        continue
      }
      rules.push(
        ...convertNginxRewrites(inside ?? [], deps, {
          type,
          conditions: [...conditions, ...asked],
          sign: '%',
        }),
      )
    } else if (conditions.length > 0) {
      report.lost(directive, 'It depends on a condition, which only rules may.')
    }
  }
  return rules
}
