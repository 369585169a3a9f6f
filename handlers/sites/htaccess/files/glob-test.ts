import { compilePattern, type StepBudget } from '../../rewrite/pattern/pattern.ts'

/** Whether something is for a file of this name. Throws `PatternLimit`. */
export type NameTest = (name: string, budget: StepBudget) => boolean

/** `*` and `?` stand for anything; everything else for itself. */
export const globTest = (glob: string): NameTest => {
  const source = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const pattern = compilePattern(`^${source}$`)
  return (name, budget) => pattern.match(name, budget) !== null
}
