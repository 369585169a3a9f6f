import type { SiteRedirect } from '../../ports/host/site-settings.ts'
import { isFor } from './redirect-rules.ts'

const MAX_STEPS = 20

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
  for (const start of rules) {
    let path = pathWithin(start.to, host)
    const seen = new Set<SiteRedirect>([start])
    for (let steps = 0; path !== null && steps < MAX_STEPS; steps++) {
      const asked = path
      const next = rules.find((rule) => isFor(rule, asked))
      // A whole site that is led to its own name is led from the other one.
      if (next === undefined || (next === start && !next.to.startsWith('/'))) break
      if (seen.has(next)) return `lead in a circle: ${start.from} ends where it began.`
      seen.add(next)
      path = pathWithin(next.to, host)
    }
  }
  return null
}
