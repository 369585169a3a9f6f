import { spend, type StepBudget } from '../../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../../rewrite/rule-request.ts'
import { noteNamedAccess } from '../access/closed-names.ts'
import type { NameTest } from './glob-test.ts'
import type { Block } from './parse-rules.ts'
import type { RuleChain } from './rule-store.ts'
import { emptySettings, type Settings } from './settings.ts'

const applySteps = (block: Block, settings: Settings, budget: StepBudget): void => {
  spend(budget, Math.ceil(block.cost))
  for (const step of block.steps) step(settings)
}

/**
 * What the rules on the way to a file say of it, in Apache's order: the
 * directories from the root down, then the sections for its name, then `<If>`.
 * What each `<If>` came to is added to `verdicts`: with the rules' text and the name
 * they decide all of the settings. Throws `PatternLimit`.
 */
export const mergeSettings = async (
  chain: RuleChain,
  name: string,
  request: RuleRequest,
  verdicts: boolean[] = [],
): Promise<Settings> => {
  const settings = emptySettings()
  const matching: Block[] = []
  /** Of a directory, whose page may show names: each has the sections that are for it. */
  const noteNamed = (block: Block, outer: NameTest | null = null): void => {
    for (const { test, block: inner } of block.files) {
      const both: NameTest = (one, budget) =>
        (outer === null || outer(one, budget)) && test(one, budget)
      noteNamedAccess(settings.named, both, inner)
      spend(request.budget, Math.ceil(inner.cost))
      noteNamed(inner, both)
    }
  }
  const find = (block: Block): void => {
    for (const { test, block: inner } of block.files) {
      if (!test(name, request.budget)) continue
      matching.push(inner)
      find(inner)
    }
  }
  const blocks = chain.flatMap(({ rules }) => (rules ? [rules.block] : []))
  for (const block of blocks) applySteps(block, settings, request.budget)
  for (const block of blocks) find(block)
  if (name === '') for (const block of blocks) noteNamed(block)
  for (const block of matching) applySteps(block, settings, request.budget)
  const applyIfs = async (block: Block): Promise<void> => {
    for (const branches of block.ifs) {
      for (const { when, block: inner, place } of branches) {
        const holds = when === null || (await when.test(request))
        verdicts.push(holds)
        request.trace?.section(place, holds)
        if (!holds) continue
        applySteps(inner, settings, request.budget)
        if (name === '') noteNamed(inner)
        for (const { test, block: named } of inner.files) {
          if (test(name, request.budget)) applySteps(named, settings, request.budget)
        }
        await applyIfs(inner)
        break
      }
    }
  }
  for (const block of [...blocks, ...matching]) await applyIfs(block)
  return settings
}
