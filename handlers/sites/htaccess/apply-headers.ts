import { REVALIDATE_HEADER, SCRIPT_HEADER } from '../../../edge-cache/index.ts'
import { PatternLimit, spend, type StepBudget } from '../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import { filledIn } from './decide-headers.ts'
import type { HeaderRule } from './files/settings.ts'

/** What header rules may ask of a request. */
export interface HeaderFacts {
  env: ReadonlyMap<string, string>
  budget: StepBudget
  /** Microseconds since the epoch, for `%t`. */
  nowMs: number
  /** Headers of the request, for `echo`. */
  asked: Headers
}

/** Of one connection, or made from the body: rules cannot speak of them. */
const FIXED = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'trailer',
  'te',
  'server',
  'date',
  // What the server says to its own page cache.
  REVALIDATE_HEADER,
  SCRIPT_HEADER,
])

/** Characters that rules may make of a field. */
const MAX_VALUE = 16_384

const clean = (value: string): string => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()

/** Fills in `%{NAME}e`, `%t`, `%D` and the like. */
const fill = (value: string, { env, nowMs, budget }: HeaderFacts): string => {
  spend(budget, value.length)
  return value.replace(/%(?:\{([^{}]*)\}([a-z])|([a-zA-Z%]))/g, (whole, name, kind, letter) => {
    if (kind === 'e') {
      const text = env.get(String(name)) ?? '(null)'
      spend(budget, text.length)
      return text
    }
    if (kind === 's') return '(null)'
    if (letter === '%') return '%'
    if (letter === 't') return `t=${Math.floor(nowMs * 1000)}`
    if (letter === 'D') return 'D=0'
    return letter === undefined ? String(whole) : ''
  })
}

const holds = ({ env: wanted }: HeaderRule, { env }: HeaderFacts): boolean =>
  wanted === null || env.has(wanted.name) !== wanted.negative

/** A value that rules made. Throws `PatternLimit` when it is too long. */
const bounded = (value: string): string => {
  if (value.length > MAX_VALUE) throw new PatternLimit()
  return value
}

/** The list with an item, where it has none like it. Null: it has. */
const merged = (list: string, item: string): string | null => {
  for (let at = 0; at < list.length;) {
    const comma = list.indexOf(',', at)
    const end = comma === -1 ? list.length : comma
    if (list.slice(at, end).trim() === item) return null
    at = end + 1
  }
  return list === '' ? item : `${list}, ${item}`
}

const editValue = (rule: HeaderRule, value: string, budget: StepBudget): string => {
  const { pattern, action } = rule
  if (!pattern) return value
  let done = ''
  let rest = value
  for (let rounds = 0; rounds < 100; rounds++) {
    const match = pattern.find(rest, budget)
    if (!match) break
    const { at, groups } = match
    const found = groups[0] ?? ''
    spend(budget, rule.value.length + rest.length)
    const text = rule.value.replace(/\\?\$(\d)/g, (_, digit: string) => {
      const group = groups[Number(digit)] ?? ''
      spend(budget, group.length)
      return group
    })
    done += rest.slice(0, at) + text
    rest = rest.slice(at + found.length)
    if (action === 'edit' || found === '') break
  }
  return done + rest
}

const KEEPS_NOTHING: ReadonlySet<HeaderRule['action']> = new Set([
  'set',
  'setifempty',
  'unset',
  'echo',
])

/** Lists joined by a comma, but cookies, which stay apart. */
const applyOne = (rule: HeaderRule, headers: Headers, facts: HeaderFacts, fields: number): void => {
  const { name, action } = rule
  const { budget } = facts
  // A field is looked for among all.
  spend(budget, name.length + fields)
  if (FIXED.has(name.toLowerCase())) return
  const value = clean(fill(rule.value, facts))
  const current = headers.get(name)
  // What is there is copied or looked through.
  if (!KEEPS_NOTHING.has(action)) spend(budget, current?.length ?? 0)
  switch (action) {
    case 'set':
      headers.set(name, bounded(value))
      break
    case 'setifempty':
      if (current === null) headers.set(name, bounded(value))
      break
    case 'append':
      headers.set(name, bounded(current === null ? value : `${current}, ${value}`))
      break
    case 'add': {
      const isAlone = name.toLowerCase() === 'set-cookie'
      bounded(current === null || isAlone ? value : `${current}, ${value}`)
      headers.append(name, value)
      break
    }
    case 'merge': {
      const list = merged(current ?? '', value)
      if (list !== null) headers.set(name, bounded(list))
      break
    }
    case 'unset':
      headers.delete(name)
      break
    case 'edit':
    case 'edit*':
      editHeader(rule, headers, facts)
      break
    case 'echo': {
      const asked = facts.asked.get(name)
      spend(budget, asked?.length ?? 0)
      if (asked !== null) headers.set(name, bounded(asked))
    }
  }
}

const editHeader = (rule: HeaderRule, headers: Headers, { budget }: HeaderFacts): void => {
  const { name } = rule
  if (name.toLowerCase() === 'set-cookie') {
    const cookies = headers.getSetCookie()
    headers.delete(name)
    for (const cookie of cookies) {
      headers.append(name, bounded(clean(editValue(rule, cookie, budget))))
    }
    return
  }
  const current = headers.get(name)
  if (current !== null) headers.set(name, bounded(clean(editValue(rule, current, budget))))
}

const countFields = (headers: Headers): number => {
  let count = 0
  headers.forEach(() => count++)
  return count
}

/** Fields that a look for one passes by. */
const fieldsToPass = (
  rules: readonly HeaderRule[],
  headers: Headers,
  { asked }: HeaderFacts,
): number =>
  countFields(headers) + (rules.some(({ action }) => action === 'echo') ? countFields(asked) : 0)

/**
 * Applies `Header` or `RequestHeader` rules in order, but those with expressions. Throws `PatternLimit` when patterns, texts and fields looked through cost more than
 * `facts.budget`, and when a field grows beyond 16 KiB.
 */
export const applyHeaderRules = (
  rules: readonly HeaderRule[],
  headers: Headers,
  facts: HeaderFacts,
): void => {
  const count = fieldsToPass(rules, headers, facts)
  rules.forEach((rule, at) => {
    spend(facts.budget, 1)
    // Each of the rules before may have added one.
    const { expression, template } = rule
    if (expression === null && template === null && holds(rule, facts))
      applyOne(rule, headers, facts, count + at)
  })
}

/**
 * The same for rules some of which ask of the response that `request` has: each sees what the
 * rules before it made of the headers, as in Apache.
 */
export const applyAskingRules = async (
  rules: readonly HeaderRule[],
  headers: Headers,
  facts: HeaderFacts,
  request: RuleRequest,
): Promise<void> => {
  const count = fieldsToPass(rules, headers, facts)
  for (const [at, rule] of rules.entries()) {
    spend(facts.budget, 1)
    const { expression } = rule
    if (expression !== null && !(await expression.test(request))) continue
    if (holds(rule, facts))
      applyOne({ ...rule, ...filledIn(rule, request) }, headers, facts, count + at)
  }
}
