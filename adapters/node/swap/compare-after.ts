import { probeDifference } from './compare-probes.ts'
import { probeAll, targetText } from './probe-sites.ts'
import type { Probe } from './swap-types.ts'

/** An address that answers otherwise than before. */
export interface Difference {
  url: string
  what: string
}

/** Asks again what was asked before. Answers what a visitor would notice. */
export const compareAfter = async (
  before: readonly Probe[],
  loose: boolean,
): Promise<Difference[]> => {
  const after = await probeAll(before.map(({ target }) => target))
  return before.flatMap((probe, at) => {
    const result = after[at]
    const what = result === undefined ? null : probeDifference(probe, result, loose)
    return what === null ? [] : [{ url: targetText(probe.target), what }]
  })
}
