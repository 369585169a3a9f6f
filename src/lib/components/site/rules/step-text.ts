import type { SiteTest } from '$lib/api/types'
import { texts } from '$lib/texts'
import { addressOf } from './outcome-text'

/** One thing that happened to a tested request. */
export type Step = SiteTest['steps'][number]

/** How a step is marked: it acts, it is passed over, it is wrong, or it only tells. */
export type Tone = 'acts' | 'passed' | 'bad' | 'tells'

/** How a step is marked. */
export const toneOf = (step: Step): Tone => {
  switch (step.kind) {
    case 'rule':
      return step.outcome === 'applied' ? 'acts' : 'passed'
    case 'section':
      return step.holds ? 'acts' : 'passed'
    case 'redirect':
    case 'guard':
    case 'entrance':
      return 'acts'
    case 'unreadable':
    case 'ended':
    case 'shut-out':
    case 'held':
      return 'bad'
    default:
      return 'tells'
  }
}

/** What happened, as a sentence. */
export const stepText = (step: Step): string => {
  const t = texts.rules.steps
  switch (step.kind) {
    case 'entrance':
      return t.entrance(step.status, step.location)
    case 'held':
      return t.held
    case 'guard':
      return t.guard(t.guards[step.rule] ?? step.rule, step.status, step.location)
    case 'own':
      return t.own
    case 'address':
      return t.address(addressOf(step.path, step.query), step.sources.join(', '))
    case 'unreadable':
      return t.unreadable(step.source, step.reason)
    case 'unknown':
      return t.unknown(step.source, step.names.join(', '))
    case 'section':
      return step.holds ? t.holds : t.holdsNot
    case 'rule': {
      if (step.outcome !== 'applied') return t.passed[step.outcome]
      const end = step.end === null ? '' : ` ${t.ends[step.end]}`
      return `${t.applied(addressOf(step.path ?? '', step.query))}${end}`
    }
    case 'not-rewriting':
      return step.why === 'off' ? t.off : t.over
    case 'redirect':
      return t.redirect(step.status, step.location)
    case 'shut-out':
      return t.shutOut(step.status)
    case 'onward':
      return t.onward[step.why](addressOf(step.path, step.query))
    case 'ended':
      return t.ended[step.why]
    case 'cut':
      return t.cut
  }
}
