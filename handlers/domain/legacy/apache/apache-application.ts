import { LegacyError } from '../legacy-error.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacyHost } from '../types.ts'
import type { LostPath } from './apache-guards.ts'
import { convertProxyPass, type ProxyDeps } from './apache-proxy.ts'
import { balancersOf } from './apache-target.ts'

/** What a host's applications have alike, and what becomes of them. */
export const proxyDepsOf = (
  directives: readonly Directive[],
  { site }: Pick<LegacyHost, 'site'>,
  report: Report,
): ProxyDeps => {
  const last = (name: string): string | undefined =>
    directives.findLast((directive) => directive.name === name)?.args[0]
  const timeout = Number(last('proxytimeout') ?? '')
  return {
    ...{ site, report, except: [], rules: [] },
    balancers: balancersOf(directives, report),
    usual: {
      preserveHost: /^on$/i.test(last('proxypreservehost') ?? ''),
      verifyTls: /^require$/i.test(last('sslproxyverify') ?? 'none'),
      timeoutSecs: timeout > 0 ? timeout : null,
    },
  }
}

/** Each is compared with those before it. */
const MAX_PASSES = 1000

/** What a host says of the applications behind it. Answers paths that nothing answers now. */
export const convertProxies = (directives: readonly Directive[], deps: ProxyDeps): LostPath[] => {
  const { site, report } = deps
  const lost: LostPath[] = []
  let passes = 0
  const convert = (directive: Directive, location: string | null): void => {
    if (++passes > MAX_PASSES)
      throw new LegacyError(
        directive,
        `a host passes on more than ${MAX_PASSES} paths. Give the applications sites of their own.`,
      )
    if (convertProxyPass(directive, location, deps)) return
    const isPattern = directive.name === 'proxypassmatch'
    lost.push({ directive, path: location ?? directive.args[0] ?? '/', isPattern })
  }
  for (const directive of directives) {
    if (/^proxypass(?:match)?$/.test(directive.name)) convert(directive, null)
    if (directive.name.startsWith('location'))
      for (const inner of directive.inside ?? [])
        if (inner.name === 'proxypass' && directive.name === 'location')
          convert(inner, directive.args[0] ?? '/')
        else if (inner.name.startsWith('proxypass') && !inner.name.startsWith('proxypassreverse'))
          report.lost(inner, 'Paths are passed on by their beginning, not by a pattern.')
  }
  for (const one of [site.proxy, ...Object.values(site.backends)])
    if (one && (one.paths === null || one.paths.length > 0)) one.except.push(...deps.except)
  return lost
}
