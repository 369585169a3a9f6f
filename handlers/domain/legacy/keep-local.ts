import type { Report } from './report.ts'
import { ifHead, sectionLines } from './rule-lines.ts'
import type { Directive, LegacySite } from './types.ts'

const LOCAL = /^(?:127\.\d|localhost(?::|$)|\[?::1(?:\]|$)|unix:)/i

/**
 * A host whose every address is of this machine alone. Berth answers a site at
 * each of its addresses, so visitors from elsewhere are refused by a rule.
 */
export const keepLocal = (
  addresses: readonly string[],
  at: Directive,
  site: LegacySite,
  report: Report,
): void => {
  if (addresses.length === 0 || !addresses.every((address) => LOCAL.test(address))) return
  const others = ifHead("!(-R '127.0.0.0/8') && !(-R '::1')")
  site.rules.push(...sectionLines(others, ['Require all denied']))
  report.changed(
    at,
    'It listens on this machine alone. Here it answers at every address, but refuses other visitors.',
  )
}
