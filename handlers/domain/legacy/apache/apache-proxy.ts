import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { BACKEND_SCHEME } from '../../config/proxy/backends.ts'
import { isPathPrefix } from '../../upstreams/path-prefix.ts'
import { backendName } from '../backend-name.ts'
import { changedBalancing, NOT_STAYING, stayingOf } from '../proxy-members.ts'
import { NOT_LED_BACK, replacedPrefix } from '../replaced-prefix.ts'
import type { Report } from '../report.ts'
import { escapePattern, ifHead, sectionLines } from '../rule-lines.ts'
import type { Directive, LegacyProxy, LegacyRewrite, LegacySite } from '../types.ts'
import { CHALLENGES, isChallengePath } from './apache-challenges.ts'
import { phpRouteOf } from './apache-handlers.ts'
import { tellParameters } from './apache-proxy-parameters.ts'
import { readTarget, type Balancers, type PassTarget } from './apache-target.ts'

/** What the conversion of all applications of one host shares. */
export interface ProxyDeps {
  site: LegacySite
  report: Report
  balancers: Balancers
  /** What all of its applications have alike. */
  usual: Pick<LegacyProxy, 'preserveHost' | 'verifyTls' | 'timeoutSecs'>
  /** Paths that are not passed on, of the directives so far. */
  except: string[]
  /** Rules that pass on, behind those of rewriting. */
  rules: LegacyRewrite[]
}

/** One `ProxyPass`: a path and where it leads. */
const partsOf = ({ name, args }: Directive, location: string | null) => {
  const inSection = location !== null
  const path = inSection ? location : (args[0] ?? '')
  return { path, target: (inSection ? args[0] : args[1]) ?? '', isMatch: name === 'proxypassmatch' }
}

const timeoutOf = (args: readonly string[]): number | null => {
  const found = args.map((arg) => /^timeout=(\d{1,5})$/i.exec(arg)?.[1]).find(Boolean)
  return found === undefined ? null : Number(found)
}

/** An application as one of a site's. */
export const applicationOf = (
  { origin, several }: PassTarget,
  paths: string[] | null,
  { usual }: Pick<ProxyDeps, 'usual'>,
  timeoutSecs: number | null = null,
): LegacyProxy => ({
  ...{ upstream: origin, ...several, paths, except: [], websocket: true },
  ...usual,
  timeoutSecs: timeoutSecs ?? usual.timeoutSecs,
})

/** What a rule passes on: whatever the pattern found goes behind the target's path. */
const passBy = (
  pattern: string,
  to: PassTarget,
  path: string,
  directive: Directive,
  deps: ProxyDeps,
): void => {
  const application = applicationOf(to, [], deps, timeoutOf(directive.args))
  const target = `${BACKEND_SCHEME}${backendName(application, to.name, deps.site)}${path}`
  const conditions = deps.except.map((one) => `%{REQUEST_URI} "!^${escapePattern(one)}(?:/|$)"`)
  deps.rules.push({ pattern, target, flags: 'P', conditions })
}

/** The same path at the application as here: one of its paths. */
const passByPath = (
  from: string,
  to: PassTarget,
  directive: Directive,
  { site, ...deps }: ProxyDeps,
): void => {
  const timeoutSecs = timeoutOf(directive.args)
  // One for everything is the site's own; those of paths stand beside it.
  const candidates = from === '' ? [site.proxy] : [site.proxy, ...Object.values(site.backends)]
  const known = candidates.find(
    (one) =>
      one?.upstream === to.origin &&
      one.replacePrefix === undefined &&
      JSON.stringify(one.upstreams) === JSON.stringify(to.several.upstreams),
  )
  if (known) {
    known.timeoutSecs ??= timeoutSecs
    if (from === '') known.paths = null
    else if (known.paths !== null && !known.paths.includes(from)) known.paths.push(from)
    return
  }
  const made = applicationOf(to, from === '' ? null : [from], deps, timeoutSecs)
  const { proxy: other } = site
  if (other !== null && from !== '') backendName(made, to.name, site)
  else {
    site.proxy = made
    if (other !== null) backendName(other, 'app', site)
  }
}

/** Another path at the application than here, which its answers are mapped back from. */
const passReplaced = (
  from: string,
  to: PassTarget,
  directive: Directive,
  deps: ProxyDeps,
): boolean => {
  const { site } = deps
  const [here, there] = [from === '' ? '/' : `${from}/`, `${trimEndOf(to.path, '/')}/`]
  const replaced = replacedPrefix(here, there)
  if (replaced.replacePrefix === undefined || (from === '' && site.proxy !== null)) return false
  const paths = from === '' ? null : [from]
  const made = { ...applicationOf(to, paths, deps, timeoutOf(directive.args)), ...replaced }
  if (from === '') site.proxy = made
  else backendName(made, to.name, site)
  return true
}

/** Whether all below a path is passed on already. */
const isPassed = (from: string, { proxy, backends }: LegacySite): boolean =>
  [proxy, ...Object.values(backends)].some((one) =>
    one?.paths === null
      ? one === proxy
      : one?.paths.some((path) => from === path || from.startsWith(`${path}/`)),
  )

/**
 * `ProxyPass` and its kin: applications of a site, by their paths where those stay as they are, else
 * by rules. False: nothing answers this path now.
 */
export const convertProxyPass = (
  directive: Directive,
  location: string | null,
  deps: ProxyDeps,
): boolean => {
  const { site, report } = deps
  const { path, target, isMatch } = partsOf(directive, location)
  const php = phpRouteOf(target)
  if (php !== null) {
    if (php.kind === 'other') report.lost(directive, php.how)
    else site.phpSocket ??= php.path
    // Where only paths that end in a script's name are passed on, none goes on behind one.
    if (isMatch && /\.php\)?\$$/.test(path))
      site.rules.push(
        ...sectionLines(ifHead('%{REQUEST_URI} !~ m#\\.php$#'), ['AcceptPathInfo Off']),
      )
    return true
  }
  if (isChallengePath(path) && (isMatch || target === '!')) {
    report.unneeded(directive, CHALLENGES)
    return true
  }
  if (target === '!') {
    if (isMatch) report.lost(directive, 'Paths are left out by their beginning, not by a pattern.')
    else deps.except.push(trimEndOf(path, '/') || '/')
    return true
  }
  tellParameters(directive, directive.args.slice(location === null ? 2 : 1), report)
  const to = readTarget(target, deps.balancers)
  if (typeof to === 'string') {
    report.lost(directive, `It leads where nothing can be passed on to: ${to}`)
    return false
  }
  const changed = changedBalancing(to.members, to.several)
  if (changed !== null) report.changed(directive, changed)
  const staysBy = to.members.find((one) => one.staysBy !== undefined)?.staysBy
  const by = staysBy ?? stayingOf(directive.args)
  if (to.several.upstreams !== undefined && by !== null)
    report.lost(directive, `${by}: ${NOT_STAYING}`)
  const from = isMatch ? '' : trimEndOf(path, '/')
  // Of several the first counts; what a section says counts before all others.
  if (location === null && isPassed(from, site)) {
    report.unneeded(directive, 'What stands before it passes these paths on already.')
    return true
  }
  const everything = isMatch && /^\^?\/?\(\.[*+]\)\$?$/.test(path) && /^(?:\/?\$1)?$/.test(to.path)
  if (isMatch && !everything) {
    passBy(path, to, to.path.includes('$') ? to.path : `${to.path}$1`, directive, deps)
    return true
  }
  const isKept = everything || trimEndOf(to.path, '/') === from
  // What follows is put behind the target as it is, unless one of them alone ends with a slash.
  const isWhole = path.endsWith('/') === to.path.endsWith('/') || !path.endsWith('/')
  if (isKept && (from === '' || isPathPrefix(from))) passByPath(from, to, directive, deps)
  else if (!isMatch && isWhole && !to.path.includes('$') && passReplaced(from, to, directive, deps))
    return true
  else {
    if (!isKept) report.changed(directive, NOT_LED_BACK)
    const base = trimEndOf(to.path, '/')
    const [rest, target] = path.endsWith('/')
      ? ['(.*)', `${to.path}$1`]
      : base === ''
        ? ['(?:/(.*))?', '/$1']
        : ['(/.*)?', `${base}$1`]
    passBy(`^${escapePattern(path)}${rest}$`, to, target, directive, deps)
  }
  return true
}
