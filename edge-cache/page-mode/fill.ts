import type { EntryHead } from '../entry/entry.ts'
import { REVALIDATE_HEADER } from '../fields/revalidate-header.ts'
import type { Fitness } from '../fills/fill-request.ts'
import type { PageRequest } from '../fills/page-request.ts'
import { fieldsShow, type ChosenTexts } from '../fills/reflection.ts'
import type { StoreRules } from '../policy/policy.ts'
import type { CacheEntry, FillOutcome } from '../types.ts'

/** A request on its way to the origin. */
export interface Fill extends PageRequest {
  /** Called once, as soon as it is known what becomes of the fill. */
  settle(outcome: FillOutcome): void
  rules: StoreRules
  /**
   * `visitor`: the visitor's own request, whose response is his in any case.
   * `neutral`: one in which nothing is a visitor's; where its response is not for
   * everybody and somebody waits, the visitor's own is sent behind it.
   */
  way: 'visitor' | 'neutral'
  /** What the visitor's own request is worth to others. */
  fitness: Fitness
  /** What the response must not show if everybody may get it. */
  chosen: () => ChosenTexts
  /** Whether the request lives on when its client leaves, since others wait for the response. Default true. */
  detached?: boolean
  /** The entry whose validity is asked for; the response is null when it still holds. */
  known?: CacheEntry
  /** A stale entry that the new page replaces; the response is null when the origin fails. */
  fallback?: CacheEntry
  /** No client waits for the response. */
  unattended?: boolean
}

/** What was read from a file is the same for all, whoever asked. */
export const isFile = ({ headers }: Response): boolean => headers.has(REVALIDATE_HEADER)

const variesByAgent = ({ headers }: Response): boolean =>
  /user-agent/i.test(headers.get('vary') ?? '')

/** Whether a storable response is everybody's: not where the visitor's request shaped it, or may have. */
export const isForAll = async (
  fill: Fill,
  head: EntryHead,
  response: Response,
): Promise<boolean> => {
  if (fill.way === 'neutral') return true
  // A coded body cannot be read here, and may have been asked for by one client alone.
  if (head.coding !== null && (fill.fitness !== 'ordinary' || fill.chosen().texts.length > 0))
    return false
  if (isFile(response)) return true
  if (fill.fitness !== 'ordinary' || variesByAgent(response)) return false
  const chosen = fill.chosen()
  return !chosen.isUndecidable && !(await fieldsShow(head.headers, chosen))
}
