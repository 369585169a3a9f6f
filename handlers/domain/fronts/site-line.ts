import type { FrontSite } from '../../ports/host/web/front-sites.ts'

/** A value with the keys of all its objects in order. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, one]) => [key, ordered(one)]),
  )
}

/** A site of a front as one line: two that say the same give the same line. */
export const siteLine = (site: FrontSite): string => JSON.stringify(ordered(site))
