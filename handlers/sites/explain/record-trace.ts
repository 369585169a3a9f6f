import type { RuleStep, SiteTestStep, StepPlace } from '../../ports/host/web/site-test.ts'
import type { PlanTrace } from '../htaccess/plan-trace.ts'
import type { RulePlace, TracedCondition, TracedRule } from '../rewrite/rule-trace.ts'

/** What one explanation may say; the rest is left out. */
const MAX_STEPS = 2000
const MAX_CHARACTERS = 400_000
/** Of one text. */
const MAX_TEXT = 1000
/** What a step or a condition takes beside its texts. */
const STEP_COST = 50

/** Notes what rules do as steps. Texts of rules are empty, for the caller to fill in. */
export interface TraceRecorder {
  trace: PlanTrace
  steps: SiteTestStep[]
  add(step: SiteTestStep): void
  /** Cuts a text and takes it from what may be said in all; empty when that is used up. */
  cut(text: string): string
}

const at = ({ source, line }: RulePlace): StepPlace => ({ source: source.name, line, text: '' })

/** The line that the reason itself names, and what it says of it. */
const placedReason = (problem: string): { line: number | null; reason: string } => {
  const found = /^line (\d+):? /.exec(problem)
  return found === null
    ? { line: null, reason: problem }
    : { line: Number(found[1]), reason: problem }
}

const FAILURES = {
  403: 'it is no file of the account',
  500: 'it is larger than 128 KiB',
}

export const recordTrace = (): TraceRecorder => {
  const steps: SiteTestStep[] = []
  let left = MAX_CHARACTERS
  let isFull = false
  const cut = (text: string): string => {
    const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
    if (shown.length > left) return ''
    left -= shown.length
    return shown
  }
  const add = (step: SiteTestStep): void => {
    if (isFull) return
    left -= STEP_COST
    if (steps.length >= MAX_STEPS || left <= 0) {
      isFull = true
      steps.push({ kind: 'cut' })
    } else steps.push(step)
  }

  /** What was told of the rule that is being asked. */
  let asking: TracedRule | null = null
  let asked = new Map<TracedCondition, { value: string | null; holds: boolean }>()
  let value: string | null = null
  let set: RuleStep['set'] = []
  const rule = (
    { place, conditions }: TracedRule,
    step: Pick<RuleStep, 'outcome'> & Partial<RuleStep>,
  ): void => {
    asking = null
    if (isFull) return
    const isAsked = asked.size > 0
    // Nothing of what was not asked needs to be said.
    const shown = isAsked ? conditions.slice(0, MAX_STEPS) : []
    left -= shown.length * STEP_COST
    add({
      ...{ kind: 'rule', ...at(place), subject: null, path: null, query: null, end: null },
      conditions: shown.map((condition) => {
        const known = asked.get(condition)
        return {
          ...{ line: condition.place.line, text: '' },
          value: known?.value ?? null,
          holds: known?.holds ?? null,
        }
      }),
      set,
      ...step,
    })
    asked = new Map()
    set = []
  }

  const told = new Set<string>()
  const trace: PlanTrace = {
    own: (uri, query) => add({ kind: 'own', path: cut(uri), query: cut(query) }),
    round(uri, query, script, chain) {
      add({
        ...{ kind: 'address', path: cut(uri), query: cut(query), file: cut(script) },
        sources: chain.slice(0, 100).map(({ source }) => cut(source)),
      })
      for (const { source, rules, failure, problem } of chain) {
        if (failure !== null) {
          const reason = problem ?? FAILURES[failure]
          add({ kind: 'unreadable', source, ...placedReason(cut(reason)), status: failure })
        }
        if (rules === null || rules.unknown.length === 0 || told.has(source)) continue
        told.add(source)
        add({ kind: 'unknown', source, names: rules.unknown.slice(0, 20).map(cut) })
      }
    },
    notRewriting: (why) => add({ kind: 'not-rewriting', why }),
    shutOut: ({ status }) => add({ kind: 'shut-out', status }),
    onward: (why, path, query) => add({ kind: 'onward', why, path: cut(path), query: cut(query) }),
    ended(why, status) {
      const guilty = why === 'steps' ? asking : null
      add({ kind: 'ended', why, status, at: guilty && at(guilty.place) })
    },
    asking(one) {
      asking = one
    },
    passedOver: (one, why) => rule(one, { outcome: why }),
    expanded(text) {
      if (!isFull) value = cut(text)
    },
    condition(condition, holds) {
      if (!isFull) asked.set(condition, { value, holds })
      value = null
    },
    failed: (one, subject, why) => rule(one, { outcome: why, subject: cut(subject) }),
    set(kind, text) {
      if (!isFull && set.length < 100) set.push({ kind, text: cut(text) })
    },
    applied: (one, subject, { path, query, address }, end) =>
      rule(one, {
        outcome: 'applied',
        subject: cut(subject),
        path: cut(address ?? path),
        query: cut(query),
        end,
      }),
    section: (place, holds) => add({ kind: 'section', ...at(place), holds }),
    redirect: (place, status, location) =>
      add({
        ...{ kind: 'redirect', ...at(place), status },
        location: location === null ? null : cut(location),
      }),
    tooMany: () => add({ kind: 'ended', why: 'rules', status: 500, at: null }),
  }
  return { trace, steps, add, cut }
}
