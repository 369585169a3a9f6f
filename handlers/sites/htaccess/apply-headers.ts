import { REVALIDATE_HEADER, SCRIPT_HEADER } from '../../../edge-cache/page-cache.ts'
import { spend, type StepBudget } from '../rewrite/pattern.ts'
import type { HeaderRule } from './settings.ts'

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

const editValue = (rule: HeaderRule, value: string, budget: StepBudget): string => {
  const { pattern, action } = rule
  if (!pattern) return value
  let done = ''
  let rest = value
  for (let rounds = 0; rounds < 100; rounds++) {
    const groups = pattern.match(rest, budget)
    if (!groups) break
    const found = groups[0] ?? ''
    const at = rest.indexOf(found)
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

/** Lists joined by a comma, but cookies, which stay apart. */
const applyOne = (rule: HeaderRule, headers: Headers, facts: HeaderFacts): void => {
  const { name, action } = rule
  if (FIXED.has(name.toLowerCase())) return
  const value = clean(fill(rule.value, facts))
  const current = headers.get(name)
  switch (action) {
    case 'set':
      headers.set(name, value)
      break
    case 'setifempty':
      if (current === null) headers.set(name, value)
      break
    case 'append':
      headers.set(name, current === null ? value : `${current}, ${value}`)
      break
    case 'add':
      headers.append(name, value)
      break
    case 'merge': {
      const items = (current ?? '').split(',').map((item) => item.trim())
      if (!items.includes(value)) headers.set(name, current ? `${current}, ${value}` : value)
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
      if (asked !== null) headers.set(name, asked)
    }
  }
}

const editHeader = (rule: HeaderRule, headers: Headers, { budget }: HeaderFacts): void => {
  const { name } = rule
  if (name.toLowerCase() === 'set-cookie') {
    const cookies = headers.getSetCookie()
    headers.delete(name)
    for (const cookie of cookies) headers.append(name, clean(editValue(rule, cookie, budget)))
    return
  }
  const current = headers.get(name)
  if (current !== null) headers.set(name, clean(editValue(rule, current, budget)))
}

/**
 * Applies `Header` or `RequestHeader` rules in order. Rules with an expression have none here that
 * holds. Throws `PatternLimit` when patterns and texts cost more than `facts.budget`.
 */
export const applyHeaderRules = (
  rules: readonly HeaderRule[],
  headers: Headers,
  facts: HeaderFacts,
): void => {
  for (const rule of rules) {
    if (rule.expression === null && holds(rule, facts)) applyOne(rule, headers, facts)
  }
}
