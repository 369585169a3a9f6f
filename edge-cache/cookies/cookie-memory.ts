import { customNames } from './bypass-cookies.ts'
import type { LearnedCookies } from './learned-cookies.ts'
import { MAX_NAME_LENGTH, type OwnersWord } from './taught-names.ts'

/** Names kept of one site. */
const MAX_NAMES = 64
/** Names kept of all sites; beyond it a site that learns another counts as full. */
const MAX_ALL_NAMES = 50_000
/** What one account's sites may have of them together, so that no account fills the room of all. */
const SHARE_OF_ALL = 1 / 8

/** What was learned of one site, as it is kept and told. */
export interface SiteCookies {
  /** Lower case, with the time of learning in milliseconds since the epoch. */
  names: readonly (readonly [name: string, learnedAtMs: number])[]
  /** There were more, or longer ones, than are kept. */
  full: boolean
}

/**
 * Which cookies sites were seen to set, by their primary domain. One stands in the
 * process that learns, which keeps it, and a copy in each that judges requests.
 */
export interface CookieMemory {
  /** What is known at a site; the same object until something changes. */
  at(site: string, rule: OwnersWord): LearnedCookies
  /** Whether learning the name would change anything. */
  isNews(site: string, lowerName: string): boolean
  /** Learns names; whether that changed anything. */
  learn(site: string, lowerNames: readonly string[], nowMs: number): boolean
  /** Forgets a name, or with null all of a site; whether that changed anything. */
  forget(site: string, lowerName: string | null): boolean
  /** Takes over what another process knows of a site. */
  put(site: string, known: SiteCookies): void
  /** To be kept, or told to another process; no names for a site of which nothing is known. */
  get(site: string): SiteCookies
  /** Every site of which something is known, by primary domain. */
  all(): Record<string, SiteCookies>
}

interface Site {
  /** By whom it was counted. */
  account: string
  names: Map<string, number>
  full: boolean
  /** By the rule of the virtual host, which is an object of the configuration. */
  views: WeakMap<OwnersWord, LearnedCookies>
}

const NOTHING: SiteCookies = { names: [], full: false }

/**
 * Begins with what was kept. Default: 64 names of a site, 50 000 of all, of which one
 * account has an eighth at most.
 */
export const createCookieMemory = (
  known: Readonly<Record<string, SiteCookies>> = {},
  {
    maxNames = MAX_NAMES,
    maxAllNames = MAX_ALL_NAMES,
    /** Whose site it is; default: of an account of its own. */
    accountOf = (site: string): string => site,
  } = {},
): CookieMemory => {
  const sites = new Map<string, Site>()
  const maxOwnNames = Math.floor(maxAllNames * SHARE_OF_ALL)
  /** Names of each account's sites. */
  const held = new Map<string, number>()
  /** Views of sites of which nothing was learned. */
  const bare: Site['views'] = new WeakMap()
  let total = 0

  const viewIn = (views: Site['views'], rule: OwnersWord, site: Site | null): LearnedCookies => {
    let view = views.get(rule)
    if (view === undefined) {
      const harmless = customNames(rule.harmless_cookies)
      const sessions = customNames(rule.session_cookies)
      const names = new Set(site?.names.keys())
      view = {
        has: (name) => names.has(name),
        isFull: site?.full ?? false,
        isSession: (name) => sessions.has(name),
        isHarmless: (name) => harmless.has(name),
      }
      views.set(rule, view)
    }
    return view
  }
  const count = ({ account, names }: Site, times: 1 | -1): void => {
    total += times * names.size
    const own = (held.get(account) ?? 0) + times * names.size
    if (own === 0) held.delete(account)
    else held.set(account, own)
  }
  const drop = (domain: string): boolean => {
    const site = sites.get(domain)
    if (site === undefined) return false
    count(site, -1)
    return sites.delete(domain)
  }
  const put = (domain: string, { names, full }: SiteCookies): void => {
    drop(domain)
    if (names.length === 0 && !full) return
    const account = accountOf(domain)
    const site: Site = { account, names: new Map(names), full, views: new WeakMap() }
    count(site, 1)
    sites.set(domain, site)
  }
  const get = (domain: string): SiteCookies => {
    const site = sites.get(domain)
    return site === undefined ? NOTHING : { names: [...site.names], full: site.full }
  }
  for (const [domain, one] of Object.entries(known)) put(domain, one)

  return {
    at: (domain, rule) => {
      const site = sites.get(domain) ?? null
      return viewIn(site?.views ?? bare, rule, site)
    },
    isNews: (domain, name) => {
      const site = sites.get(domain)
      return site === undefined || (!site.full && !site.names.has(name))
    },
    learn(domain, names, nowMs) {
      const site = sites.get(domain)
      const next = new Map(site?.names)
      let full = site?.full ?? false
      const own = held.get(accountOf(domain)) ?? 0
      const room = Math.min(maxAllNames - total, maxOwnNames - own)
      for (const name of names) {
        if (next.has(name)) continue
        const fits = name.length <= MAX_NAME_LENGTH && next.size < maxNames
        if (fits && next.size - (site?.names.size ?? 0) < room) next.set(name, nowMs)
        else full = true
      }
      if (next.size === (site?.names.size ?? 0) && full === (site?.full ?? false)) return false
      put(domain, { names: [...next], full })
      return true
    },
    forget(domain, name) {
      if (name === null) return drop(domain)
      const { names, full } = get(domain)
      const left = names.filter(([one]) => one !== name)
      if (left.length === names.length) return false
      // What was skipped for want of room is still not known, so a full site stays full.
      put(domain, { names: left, full })
      return true
    },
    put,
    get,
    all: () => Object.fromEntries([...sites.keys()].map((domain) => [domain, get(domain)])),
  }
}
