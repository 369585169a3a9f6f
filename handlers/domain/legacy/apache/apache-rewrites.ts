import { BACKEND_SCHEME } from '../../config/proxy/backends.ts'
import { backendName } from '../backend-name.ts'
import { redirectOf } from '../https-redirect.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacyHost, LegacyRewrite, RuleCheck } from '../types.ts'
import { phpRouteOf } from './apache-handlers.ts'
import { rewriteWords } from './apache-lines.ts'
import { applicationOf, type ProxyDeps } from './apache-proxy.ts'
import { readTarget } from './apache-target.ts'

const NAMES = new Set(['rewriteengine', 'rewritecond', 'rewriterule'])

/** Whether a directive is one of those that `convertRewrites` takes together. */
export const isRewrite = ({ name }: Directive): boolean => NAMES.has(name)

const flagsOf = (text: string): string => text.replace(/^\[(.*)\]$/s, '$1')

const STATUS_WORDS: Readonly<Record<string, number>> = {
  permanent: 301,
  temp: 302,
  seeother: 303,
}

/** `Redirect / URL`, which leaves nothing of a host, as a rule; null for every other one. */
export const wholeRedirect = ({ name, args }: Directive): LegacyRewrite | null => {
  const fixed = { redirectpermanent: 301, redirecttemp: 302 }[name] ?? null
  if (name !== 'redirect' && fixed === null) return null
  const rest = [...args]
  let status = fixed ?? 302
  if (fixed === null && rest.length === 3) {
    const word = rest.shift() ?? ''
    status = STATUS_WORDS[word.toLowerCase()] ?? Number(word)
  }
  const [from, to = ''] = rest
  if (from !== '/' || rest.length !== 2 || !/^https?:\/\/[^\s%$\\?#]+$/i.test(to)) return null
  if (!(status >= 300 && status <= 399)) return null
  return { pattern: '^/(.*)$', target: `${to}$1`, flags: `R=${status},L`, conditions: [] }
}

/** A rule that passes on to an application of the host; text: why there is none. */
const passingRule = (rewrite: LegacyRewrite, deps: ProxyDeps): LegacyRewrite | 'php' | string => {
  const php = phpRouteOf(rewrite.target)
  if (php?.kind === 'socket') {
    deps.site.phpSocket ??= php.path
    return 'php'
  }
  const to = readTarget(rewrite.target, deps.balancers)
  if (typeof to === 'string') return to
  const name = backendName(applicationOf(to, [], deps), to.name, deps.site)
  return { ...rewrite, target: `${BACKEND_SCHEME}${name}${to.path}` }
}

/**
 * Rules of a virtual host, whose patterns see the whole path. Rules that cannot
 * be read are named and skipped, with the conditions before them. Answers those
 * that pass on every request that they fit.
 */
export const convertRewrites = (
  directives: readonly Directive[],
  host: Pick<LegacyHost, 'names' | 'site' | 'redirect' | 'secure'>,
  deps: { check: RuleCheck; report: Report; proxies: ProxyDeps },
): { directive: Directive; pattern: string }[] => {
  const { check, report } = deps
  const passing: { directive: Directive; pattern: string }[] = []
  const engine = directives.findLast(({ name }) => name === 'rewriteengine')
  const isOn = /^on$/i.test(engine?.args[0] ?? 'off')
  let conditions: { at: Directive; text: string }[] = []
  const add = (rewrite: LegacyRewrite): void => {
    const isFirst = host.site.rewrites.length === 0
    if (isFirst && (!host.secure || rewrite.conditions.length === 0))
      host.redirect = redirectOf(rewrite, host.names)
    host.site.rewrites.push(rewrite)
  }
  for (const directive of directives) {
    const { name, text } = directive
    const whole = wholeRedirect(directive)
    if (whole !== null) add(whole)
    else if (name === 'rewriteengine') {
      if (!isOn) report.unneeded(directive, 'Rewriting is off here.')
    } else if (!isRewrite(directive)) continue
    else if (!isOn) report.unneeded(directive, 'Rewriting is off here.')
    else if (name === 'rewritecond') conditions.push({ at: directive, text })
    else {
      const [pattern = '', target = '', flags = ''] = rewriteWords(text)
      const rewrite = {
        pattern,
        target,
        flags: flagsOf(flags),
        conditions: conditions.map((condition) => condition.text),
      }
      const used = conditions
      conditions = []
      if (/(?:^|,)(?:P|PROXY)(?:,|$)/i.test(rewrite.flags)) {
        const passed = passingRule(rewrite, deps.proxies)
        if (passed === 'php') continue
        const wrong = typeof passed === 'string' ? passed : check.rewrite(passed)
        if (typeof passed === 'object' && wrong === null) {
          add(passed)
          continue
        }
        report.lost(directive, `It leads where nothing can be passed on to: ${wrong}.`)
        if (used.length === 0 && !pattern.startsWith('!')) passing.push({ directive, pattern })
        continue
      }
      const wrong = check.rewrite(rewrite)
      if (wrong === null) {
        add(rewrite)
        continue
      }
      for (const { at } of used) report.lost(at, 'The rule that it belongs to is lost.')
      report.lost(directive, `The rule is not understood: ${wrong}.`)
    }
  }
  return passing
}
