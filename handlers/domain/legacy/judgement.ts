import type { Finding } from './types.ts'

/** What is missed of a directive because of its value. */
export type Judgement = Pick<Finding, 'reason'> & { kind: 'lost' | 'changed' }

type Judge = (args: readonly string[]) => Judgement | null

/** Judges of directives of which nothing is missed but with some values, by name. */
export type Judges = Readonly<Record<string, Judge>>

/** It does something else here. `reason`: a sentence for the report. */
export const changed = (reason: string): Judgement => ({ kind: 'changed', reason })
/** It does nothing here. `reason`: a sentence for the report. */
export const lost = (reason: string): Judgement => ({ kind: 'lost', reason })

/** Where one of the words is one of these. */
export const where =
  (words: RegExp, judgement: Judgement): Judge =>
  (args) =>
    args.some((word) => words.test(word)) ? judgement : null

/** Null: nothing is missed. */
export const judgedBy = (
  judges: Judges,
  name: string,
  args: readonly string[],
): Judgement | null => (Object.hasOwn(judges, name) ? (judges[name]?.(args) ?? null) : null)
