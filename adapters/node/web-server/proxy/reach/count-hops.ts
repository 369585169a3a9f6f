import { OriginError } from '#handlers/sites/origins/php-origin.ts'

/** Field in which a request says how often it was passed on to an address that an owner chose. */
export const HOPS_FIELD = 'berth-hops'
/** A chain of sites in front of one another is shorter. */
const MOST_HOPS = 4

/**
 * How often the request was passed on, this time included. Throws `OriginError` 502 for one that
 * goes in a circle: an owner's name may lead back here by ways that no look at addresses tells.
 */
export const countHops = (received: Headers): number => {
  const said = received.get(HOPS_FIELD)
  const before = said === null ? 0 : /^\d{1,2}$/.test(said) ? Number(said) : MOST_HOPS
  if (before >= MOST_HOPS) throw new OriginError(502, 'the request goes in a circle')
  return before + 1
}
