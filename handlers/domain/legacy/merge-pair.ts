import type { HostPair } from './pair-hosts.ts'
import type { Report } from './report.ts'
import type { LegacyHost, LegacyRewrite, LegacySite, Place, SourceFiles } from './types.ts'

/** One `[[virtualhost]]`. */
export interface ConvertedHost {
  names: string[]
  from: Place[]
  root: string
  site: LegacySite
  certificate: string | null
  key: string | null
  redirectHttps: boolean
  hstsMaxAgeSecs: number
  /** Whether it answers at names that no other host has. */
  isFallback: boolean
}

/** A root that is known not to be there, for hosts that serve no files. */
const NO_ROOT = '/nonexistent'
const HSTS = /^strict-transport-security$/i

const withoutHsts = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HSTS.test(name)))

/** `max-age=N` alone has a key of its own. */
const splitHsts = (site: LegacySite): { site: LegacySite; hstsMaxAgeSecs: number } => {
  const value = Object.entries(site.headers).find(([name]) => HSTS.test(name))?.[1]
  const secs = /^max-age=(\d{1,9})$/.exec(value?.trim() ?? '')?.[1]
  if (secs === undefined) return { site, hstsMaxAgeSecs: 0 }
  return { site: { ...site, headers: withoutHsts(site.headers) }, hstsMaxAgeSecs: Number(secs) }
}

const sameSite = (one: LegacySite, other: LegacySite): boolean => {
  const plain = (site: LegacySite): string =>
    JSON.stringify({ ...site, headers: withoutHsts(site.headers) })
  return plain(one) === plain(other)
}

const differingKeys = (one: LegacySite, other: LegacySite): string[] =>
  (Object.keys(one) as (keyof LegacySite)[]).filter(
    (key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]),
  )

const onlyOver = (scheme: 'on' | 'off', rewrites: readonly LegacyRewrite[]): LegacyRewrite[] =>
  rewrites.map((rewrite) => ({
    ...rewrite,
    conditions: [`%{HTTPS} =${scheme}`, ...rewrite.conditions],
  }))

/** Whether a host leads every path to the same one over https, under the name it was asked by. */
const leadsToHttps = ({ redirect }: LegacyHost, names: readonly string[]): boolean => {
  if (redirect === null || redirect.httpsHost === undefined) return false
  if (redirect.status !== 301 && redirect.status !== 308) return false
  return redirect.httpsHost === null || (names.length === 1 && names[0] === redirect.httpsHost)
}

/** The site of both: https wins, and what http alone redirects stays http's. */
const joinSites = (
  http: LegacyHost,
  https: LegacyHost,
  names: readonly string[],
  report: Report,
): { site: LegacySite; redirectHttps: boolean } => {
  if (leadsToHttps(http, names)) {
    const [same] = http.site.rewrites.map((rewrite) => JSON.stringify(rewrite))
    const rewrites = https.site.rewrites.filter(
      (rewrite) => rewrite.conditions.length === 0 || JSON.stringify(rewrite) !== same,
    )
    return { site: { ...https.site, rewrites }, redirectHttps: true }
  }
  if (sameSite(http.site, https.site)) return { site: https.site, redirectHttps: false }
  if (http.redirect !== null) {
    const { site } = https
    const own = https.redirect === null ? site.rewrites : onlyOver('on', site.rewrites)
    const rewrites = [...onlyOver('off', http.site.rewrites.slice(0, 1)), ...own]
    return { site: { ...site, rewrites }, redirectHttps: false }
  }
  report.lost(
    http.at,
    `It differs from the host for https at ${https.at.file}:${https.at.line} (${differingKeys(http.site, https.site).join(', ')}). A site answers both alike here, as that one does.`,
  )
  return { site: https.site, redirectHttps: false }
}

/** Makes one virtual host of a pair; null where none can be made. */
export const mergePair = (
  { names, http, https }: HostPair,
  files: SourceFiles,
  report: Report,
  isFallback = false,
): ConvertedHost | null => {
  const main = https ?? http
  if (main === null) return null
  let { certificate, key } = main
  for (const path of new Set([certificate, key])) {
    if (path === null || files.exists(path)) continue
    report.lost(
      main.at,
      `Its certificate or key "${path}" does not exist, so it gets a self-signed one.`,
    )
    certificate = null
  }
  if (certificate === null) key = null
  if (https !== null && certificate === null && https.certificate === null)
    report.lost(https.at, 'It names no certificate, so it gets a self-signed one.')

  const joined =
    http !== null && https !== null
      ? joinSites(http, https, names, report)
      : { site: main.site, redirectHttps: false }
  let { redirectHttps } = joined
  if (http === null && certificate !== null) {
    redirectHttps = true
    report.changed(main.at, 'It answers https alone; here http leads to it.')
  }
  if (redirectHttps && certificate === null) redirectHttps = false
  const { site, hstsMaxAgeSecs } = splitHsts(joined.site)
  const isPassedOn = site.root === null && Object.keys(site.backends).length > 0
  const serves =
    main.redirect === null &&
    !isPassedOn &&
    (site.proxy === null || site.proxy.paths !== null || site.proxy.except.length > 0)
  const root = site.root ?? NO_ROOT
  if (serves && (site.root === null || !files.exists(root))) {
    report.lost(
      main.at,
      site.root === null
        ? 'It has no directory of files, so there is no site to make of it.'
        : `Its directory "${root}" does not exist, so there is no site to make of it.`,
    )
    return null
  }
  const from = [http, https].flatMap((host) =>
    host === null ? [] : [{ file: host.at.file, line: host.at.line }],
  )
  return {
    names,
    from,
    root: files.exists(root) ? root : NO_ROOT,
    site,
    certificate,
    key,
    redirectHttps,
    hstsMaxAgeSecs,
    isFallback,
  }
}
