import { taughtNames, type CookieMemory } from '#edge-cache/index.ts'
import type { SiteCookies } from '#handlers/sites/site-cookies.ts'

/**
 * A worker's part of learning: it asks the primary about names that its copy of the
 * memory does not have, once for those that many answers set at the same time.
 */
export const createCookieLearner = (deps: {
  /** Kept up to date by messages of the primary. */
  memory: CookieMemory
  /** Resolves when all workers know, this one included. */
  ask(site: string, names: readonly string[]): Promise<unknown>
  nowMs(): number
}): SiteCookies => {
  const { memory, ask, nowMs } = deps
  const asked = new Map<string, Promise<void>>()

  const learnName = (site: string, name: string): Promise<void> => {
    // Neither names of hosts nor of cookies have a blank in them.
    const key = `${site} ${name}`
    let under = asked.get(key)
    if (under === undefined) {
      under = ask(site, [name]).then(
        () => undefined,
        // Without the primary this worker is about to end; what it still answers itself, it knows.
        () => void memory.learn(site, [name], nowMs()),
      )
      asked.set(key, under)
      void under.finally(() => asked.delete(key))
    }
    return under
  }

  return {
    at: ({ domain, cache }) => memory.at(domain, cache),
    learn({ domain, cache }, { status, headers }) {
      if (status >= 400 || !headers.has('set-cookie')) return null
      // Elsewhere what was learned would not count.
      if (!cache.enable || cache.mode !== 'page' || cache.bypass_cookies !== null) return null
      const names = taughtNames(headers.getSetCookie(), cache, nowMs())
      const news = names.filter((name) => memory.isNews(domain, name))
      if (news.length === 0) return null
      return Promise.all(news.map((name) => learnName(domain, name))).then(() => undefined)
    },
  }
}
