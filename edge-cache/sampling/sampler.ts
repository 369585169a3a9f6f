import type { PageRequest } from '../fills/page-request.ts'
import type { CacheEntry, CacheKey } from '../types.ts'
import type { WarmTarget } from '../address/warm-target.ts'
import { clientClass } from './client-class.ts'
import { pageDifference, type PageDifference } from './page-difference.ts'

/**
 * Notices sites whose pages depend on the language or the browser of who asks without
 * saying so by `Vary`: of pages that one visitor's request made and another client is
 * given, a few are asked for again, neutrally, and compared.
 */
export interface Sampler {
  /** A visitor's own request made a page, for everybody. */
  stored(entry: CacheEntry, asked: PageRequest): void
  /**
   * Whether it matters who asks for the page next: `served` wants to be told. Asked at
   * every request, it is mostly false, and soon false again.
   */
  watches(id: string): boolean
  /** A client was given the stored page. */
  served(entry: CacheEntry, asked: PageRequest): void
}

/** Time, leisure and ways to the pages that a sampler compares. */
export interface SamplerDeps {
  /** Wall clock, milliseconds. */
  nowMs(): number
  /** Calls `work` once, after `delayMs`. */
  after(delayMs: number, work: () => void): void
  /** Whether the application and this process have nothing better to do. */
  isIdle(): boolean | Promise<boolean>
  /**
   * Whether the class of a site (by its primary domain) has its turn: once a day. Asked
   * right before the sample is taken.
   */
  turn(site: string, clientClass: string): Promise<boolean>
  /** The stored page. */
  entryOf(key: CacheKey): Promise<CacheEntry | null> | CacheEntry | null
  /** What the application answers a neutral request now; null where it is no page. Nothing is stored. */
  neutralPage(target: WarmTarget): Promise<Uint8Array | null>
  /** The site's pages were found to vary; resolves when everybody acts accordingly. */
  varies(site: string, found: { why: PageDifference; page: string }): Promise<unknown>
}

/** A page must be so old: a sample is never in the wake of the visit that made it. */
const MIN_AGE_MS = 5000
/** Older ones may differ because something happened since. */
const MAX_AGE_MS = 10 * 60_000
const LOOK_MS = 1000
const MAX_WATCHED = 256
const MAX_DUE = 32
/** How many requests for a watched page are looked at. */
const MAX_LOOKS = 8
/** Classes of one site for which pages are watched. */
const MAX_CLASSES = 16
const MAX_SITES = 10_000
const DAY_MS = 86_400_000
const MAX_PAGE = 200

interface Candidate {
  site: string
  key: CacheKey
  clientClass: string
  client: string
  storedAtMs: number
  target: WarmTarget
  looks: number
}

const clientOf = ({ request, context }: PageRequest): string =>
  `${context.clientAddress ?? ''} ${(request.headers.get('user-agent') ?? '').slice(0, 300)}`

/** One for each process; `turn` keeps them to one sample of a class and day. */
export const createSampler = (deps: SamplerDeps): Sampler => {
  const { nowMs } = deps
  const watched = new Map<string, Candidate>()
  const due: Candidate[] = []
  /** Classes that had their turn today, by site. */
  const done = new Map<string, Set<string>>()
  let day = 0
  let isArmed = false

  const doneAt = (site: string): Set<string> => {
    const today = Math.floor(nowMs() / DAY_MS)
    if (today !== day || done.size >= MAX_SITES) done.clear()
    day = today
    let classes = done.get(site)
    if (classes === undefined) done.set(site, (classes = new Set()))
    return classes
  }

  const take = async ({ site, clientClass: name, key, storedAtMs, target }: Candidate) => {
    const entry = await deps.entryOf(key)
    if (entry?.storedAtMs !== storedAtMs || entry.coding !== null) return
    // It may be moved in memory while the application is asked.
    const body = entry.body.slice()
    const classes = doneAt(site)
    if (classes.has(name) || classes.size >= MAX_CLASSES) return
    classes.add(name)
    if (!(await deps.turn(site, name))) return
    const one = await deps.neutralPage(target)
    const two = one && (await deps.neutralPage(target))
    if (!one || !two) return
    const why = await pageDifference(body, one, two)
    if (why !== null) await deps.varies(site, { why, page: target.path.slice(0, MAX_PAGE) })
  }

  const look = async (): Promise<void> => {
    const now = nowMs()
    const next = due.findIndex(({ storedAtMs }) => now - storedAtMs >= MIN_AGE_MS)
    if (next === -1 || !(await deps.isIdle())) return
    const [candidate] = due.splice(next, 1)
    if (candidate && now - candidate.storedAtMs <= MAX_AGE_MS) await take(candidate)
  }

  const arm = (): void => {
    if (isArmed || due.length === 0) return
    isArmed = true
    deps.after(LOOK_MS, () => {
      const again = (): void => {
        isArmed = false
        arm()
      }
      look().then(again, again)
    })
  }

  return {
    stored(entry, asked) {
      const { request, context, key, variant } = asked
      // Files are the same for all, and what is coded cannot be read.
      if (entry.revalidateSecs !== null || entry.coding !== null) return
      const site = context.primaryDomain
      const name = clientClass(request.headers)
      if (doneAt(site).has(name)) return
      watched.delete(key.id)
      const [oldest] = watched.keys()
      if (watched.size >= MAX_WATCHED && oldest !== undefined) watched.delete(oldest)
      const { host, path, secure } = context
      watched.set(key.id, {
        ...{ site, key, clientClass: name, client: clientOf(asked) },
        storedAtMs: entry.storedAtMs,
        target: { host, path, secure, ...(variant === 'mobile' && { mobile: true }) },
        looks: 0,
      })
    },
    watches(id) {
      if (watched.size === 0) return false
      const candidate = watched.get(id)
      return candidate !== undefined && nowMs() - candidate.storedAtMs >= MIN_AGE_MS
    },
    served(entry, asked) {
      const candidate = watched.get(entry.key.id)
      if (candidate === undefined) return
      const { headers } = asked.request
      const isOther =
        clientClass(headers) !== candidate.clientClass || clientOf(asked) !== candidate.client
      const isOld = nowMs() - candidate.storedAtMs > MAX_AGE_MS
      const isGone = entry.storedAtMs !== candidate.storedAtMs
      if (isOther && !isOld && !isGone) {
        if (due.length < MAX_DUE) due.push(candidate)
        arm()
      }
      if (isOther || isOld || isGone || ++candidate.looks >= MAX_LOOKS) watched.delete(entry.key.id)
    },
  }
}
