import type { Probe, ProbeResult } from './swap-types.ts'

const shown = ({ status, error }: ProbeResult): string =>
  status === null ? `no answer (${error ?? 'unknown'})` : String(status)

/**
 * What a visitor would notice between a response before and one after; null:
 * nothing. A site that did not work before (no response, or 5xx) cannot get worse.
 * Pages of errors are each server's own, so their words do not count; where a
 * page changes by itself its title stands for it. `loose`: titles alone count.
 */
export const probeDifference = (
  { result: before, changing }: Probe,
  after: ProbeResult,
  loose: boolean,
): string | null => {
  if (before.status === null || before.status >= 500) return null
  if (after.status !== before.status) return `${shown(before)} became ${shown(after)}`
  if (before.status >= 300 && before.status < 400)
    return after.location === before.location
      ? null
      : `it leads to ${after.location ?? 'nowhere'} instead of ${before.location ?? 'nowhere'}`
  if (before.status >= 400 || after.hash === before.hash) return null
  if (after.title !== before.title)
    return `the title "${before.title ?? ''}" became "${after.title ?? ''}"`
  return loose || changing ? null : 'the content is another one'
}
