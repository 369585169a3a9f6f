import type { SiteRedirect } from '../../ports/host/site-settings.ts'
import { isFor } from './redirect-rules.ts'

/** The path of this site that a rule leads to; null: it leads elsewhere. */
const pathWithin = (to: string, host: string): string | null => {
  if (to.startsWith('/')) return to.split(/[?#]/, 1)[0] ?? to
  const { hostname, pathname } = new URL(to)
  if (hostname !== host && hostname !== `www.${host}`) return null
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}

/** What is wrong with rules that lead to one another in a circle; null: nothing. `host`: the site's own name. */
export const circlesOf = (rules: readonly SiteRedirect[], host: string): string | null => {
  /** Looked for once for each rule: where one leads to depends on nothing else. */
  const followers = new Map<SiteRedirect, SiteRedirect | null>()
  const followerOf = (rule: SiteRedirect): SiteRedirect | null => {
    const known = followers.get(rule)
    if (known !== undefined) return known
    const path = pathWithin(rule.to, host)
    const found = path === null ? null : (rules.find((one) => isFor(one, path)) ?? null)
    followers.set(rule, found)
    return found
  }
  const ends = new Set<SiteRedirect>()
  for (const start of rules) {
    const seen = new Set<SiteRedirect>()
    for (let rule: SiteRedirect | null = start; rule !== null && !ends.has(rule);) {
      if (seen.has(rule)) return `lead in a circle: ${rule.from} ends where it began.`
      seen.add(rule)
      const next: SiteRedirect | null = followerOf(rule)
      // A whole site that is led to its own name is led from the other one.
      rule = next === rule && !rule.to.startsWith('/') ? null : next
    }
    for (const rule of seen) ends.add(rule)
  }
  return null
}
