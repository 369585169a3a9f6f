import { type CookieMemory, taughtNames } from '#edge-cache/index.ts'
import type { SiteCookies } from '#handlers/sites/page-cache/site-cookies.ts'

/** Of one response; no application sets as many. */
const MAX_FIELDS = 100
/** No memory keeps a name as long: the site counts as one with more names than are kept. */
const TOO_MANY = ['-'.repeat(1024)]

/**
 * A worker's part of learning: it asks the primary about names that its copy of the
 * memory does not have, once for those that many responses set at the same time.
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

  /** One message for all that a response teaches, and none for what is on its way already. */
  const learnNames = (site: string, names: readonly string[]): Promise<unknown> => {
    // Neither names of hosts nor of cookies have a blank in them.
    const keyOf = (name: string): string => `${site} ${name}`
    const fresh = names.filter((name) => !asked.has(keyOf(name)))
    if (fresh.length > 0) {
      const under = ask(site, fresh).then(
        () => undefined,
        // Without the primary this worker is about to end; what it still answers itself, it knows.
        () => void memory.learn(site, fresh, nowMs()),
      )
      for (const name of fresh) asked.set(keyOf(name), under)
      void under.finally(() => fresh.forEach((name) => asked.delete(keyOf(name))))
    }
    return Promise.all(new Set(names.map((name) => asked.get(keyOf(name)))))
  }

  return {
    at: ({ domain, cache }) => memory.at(domain, cache),
    learn({ domain, cache }, { status, headers }) {
      if (status >= 400 || !headers.has('set-cookie')) return null
      // Elsewhere what was learned would not count.
      if (!cache.enable || cache.mode !== 'page' || cache.bypass_cookies !== null) return null
      if (memory.at(domain, cache).isFull) return null
      const fields = headers.getSetCookie()
      const names = fields.length > MAX_FIELDS ? TOO_MANY : taughtNames(fields, cache, nowMs())
      const news = names.filter((name) => memory.isNews(domain, name))
      if (news.length === 0) return null
      return learnNames(domain, news).then(() => undefined)
    },
  }
}
