import type { RewriteConfig } from '../../domain/config/config-types.ts'
import type { SiteTestStep, StepPlace } from '../../ports/host/web/site-test.ts'
import type { ExplainedPlan } from '../htaccess/explain-plan.ts'

/** Texts that are read for one explanation. */
const MAX_SOURCES = 50

/** A directive with the lines that continue it. */
const lineOf = (lines: readonly string[], line: number): string => {
  const pieces: string[] = []
  for (let at = line - 1; at < lines.length; at++) {
    const piece = (lines[at] ?? '').replace(/\r$/, '')
    if (!piece.endsWith('\\')) return [...pieces, piece].join('').trim()
    pieces.push(piece.slice(0, -1))
  }
  return pieces.join('').trim()
}

const ruleText = ({ pattern, target, flags }: RewriteConfig): string =>
  `${pattern} ${target}${flags === '' ? '' : ` [${flags.replace(/^\[|\]$/g, '')}]`}`

const placesOf = (step: SiteTestStep): StepPlace[] => {
  if (step.kind === 'ended') return step.at === null ? [] : [step.at]
  return step.kind === 'rule' || step.kind === 'section' || step.kind === 'redirect' ? [step] : []
}

/** Puts what rules say into the steps; `cut` bounds it. */
export const fillTexts = async (
  steps: readonly SiteTestStep[],
  rewrites: readonly RewriteConfig[],
  { textOf }: ExplainedPlan,
  cut: (text: string) => string,
): Promise<void> => {
  const known = new Map<string, readonly string[]>()
  const linesOf = async (source: string): Promise<readonly string[]> => {
    let lines = known.get(source)
    if (lines === undefined) {
      const text = known.size < MAX_SOURCES ? await textOf(source) : null
      known.set(source, (lines = text === null ? [] : text.split('\n')))
    }
    return lines
  }
  for (const step of steps) {
    for (const place of placesOf(step)) {
      const own = place.source === 'rewrites' ? rewrites[place.line - 1] : undefined
      const lines = own === undefined ? await linesOf(place.source) : []
      place.text = cut(own === undefined ? lineOf(lines, place.line) : ruleText(own))
      if (step.kind !== 'rule') continue
      for (const [index, condition] of step.conditions.entries())
        condition.text = cut(
          own === undefined ? lineOf(lines, condition.line) : (own.conditions?.[index] ?? ''),
        )
    }
  }
}
