import { APPLICATIONS } from '../../domain/profiles/applications.ts'
import { isSessionCookie } from '../../domain/profiles/is-session-cookie.ts'
import { profileOf } from '../../domain/profiles/profiles.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import type {
  CpuMinute,
  FoundToVary,
  NotedPurge,
  SeenOften,
  SiteCacheInsight,
  SiteCacheReport,
} from '../../ports/host/cache/page-cache.ts'
import type { Timestamp } from '../../ports/store/records.ts'

/** Why visitors of a site are not served from its cache, as the API says it. */
export interface CacheInsight {
  /** What was seen before is not in here: 18 to 24 hours ago, or the web server's start. */
  since: Timestamp
  /** Requests for pages that the cache did not answer. */
  unserved: number
  /** Requests for images, styles, scripts and data, which are in none of the other figures. */
  files: number
  reasons: { reason: string; count: number }[]
  cookies: SeenOften[]
  /** Of the cookies here, learned ones included: those by which `application` knows its visitors. */
  application_cookies: string[]
  pages: SiteCacheInsight['pages']
  /** Of those with a query: with nothing but click ids. */
  click_ids_only: number
  /** What counts as such: query parameters, a final `*` is a prefix. */
  click_ids: string[]
  /** Chosen, or recognised in the document root; null: none. */
  application: string | null
  /** What may be chosen instead. */
  applications: string[]
  /** Names of cookies that the site was seen to set, so that their owners get no page of the cache; lower case. */
  learned_cookies: string[]
  /** It sets more names than are kept: every cookie that is not known as harmless counts. */
  learned_full: boolean
  /** The site was found to answer by language or browser without saying so, and is filled neutrally; null: it was not. */
  varies: (Omit<FoundToVary, 'since_ms'> & { since: Timestamp }) | null
  purges: (Omit<NotedPurge, 'at_ms'> & { at: Timestamp })[]
  /** Of the last hour; minutes without are not there. */
  worker_cpu: { at: Timestamp; ms: number }[]
  /** Of the whole account; null where accounts share a user. */
  account_cpu: { at: Timestamp; ms: number }[] | null
}

const cpuView = (minutes: readonly CpuMinute[]): CacheInsight['worker_cpu'] =>
  minutes.map(({ at_ms, ms }) => ({ at: timestamp(at_ms), ms }))

const FILES = 'content-type'

const variesView = (found: FoundToVary | null): CacheInsight['varies'] =>
  found && { since: timestamp(found.since_ms), why: found.why, page: found.page }

const applicationCookies = (application: string | null, names: readonly string[]): string[] => {
  const profile = application === null ? null : profileOf(application)
  if (profile === null) return []
  return [...new Set(names)].filter((name) => isSessionCookie(profile, name))
}

/** `report` is that of the site. */
export const insightView = (
  seen: SiteCacheInsight,
  report: SiteCacheReport | undefined,
): CacheInsight => {
  const reasons = seen.reasons.filter(({ name }) => name !== FILES)
  const application = report?.application ?? null
  const learned = (report?.learned_cookies ?? []).map(({ name }) => name)
  return {
    since: timestamp(seen.since_ms),
    unserved: reasons.reduce((total, { count }) => total + count, 0),
    files: seen.reasons.find(({ name }) => name === FILES)?.count ?? 0,
    reasons: reasons.map(({ name, count }) => ({ reason: name, count })),
    cookies: seen.cookies,
    application_cookies: applicationCookies(application, [
      ...seen.cookies.map(({ name }) => name),
      ...learned,
    ]),
    pages: seen.pages,
    click_ids_only: seen.click_ids_only,
    click_ids: seen.click_ids,
    application,
    applications: [...APPLICATIONS],
    learned_cookies: learned,
    learned_full: report?.learned_full ?? false,
    varies: variesView(report?.varies ?? null),
    worker_cpu: cpuView(seen.worker_cpu),
    account_cpu: seen.account_cpu && cpuView(seen.account_cpu),
    purges: seen.purges.map(({ at_ms, ...purge }) => ({ at: timestamp(at_ms), ...purge })),
  }
}
