import type { Report } from '../report.ts'
import type { Directive, LegacyHost } from '../types.ts'
import type { LostPath } from './apache-guards.ts'
import { convertProxyPass, emptyProxy } from './apache-proxy.ts'

/** What a host says of the application behind it. Answers paths that nothing answers now. */
export const convertProxies = (
  directives: readonly Directive[],
  host: LegacyHost,
  report: Report,
): LostPath[] => {
  const { site } = host
  const lost: LostPath[] = []
  const convert = (directive: Directive, location: string | null): void => {
    if (convertProxyPass(directive, location, site, report)) return
    const isPattern = directive.name === 'proxypassmatch'
    lost.push({ directive, path: location ?? directive.args[0] ?? '/', isPattern })
  }
  for (const directive of directives) {
    if (/^proxypass(?:match)?$/.test(directive.name)) convert(directive, null)
    if (directive.name.startsWith('location'))
      for (const inner of directive.inside ?? [])
        if (inner.name === 'proxypass' && directive.name === 'location')
          convert(inner, directive.args[0] ?? '/')
        else if (inner.name.startsWith('proxypass') && inner.name !== 'proxypassreverse')
          report.lost(inner, 'Paths are passed on by their beginning, not by a pattern.')
  }
  const last = (name: string): Directive | undefined =>
    directives.findLast((directive) => directive.name === name)
  const proxy = (site.proxy ??= emptyProxy())
  const timeout = Number(last('proxytimeout')?.args[0] ?? '')
  if (timeout > 0) proxy.timeoutSecs ??= timeout
  proxy.preserveHost = /^on$/i.test(last('proxypreservehost')?.args[0] ?? '')
  const verify = last('sslproxyverify')?.args[0] ?? 'none'
  proxy.verifyTls = /^require$/i.test(verify)
  if (proxy.upstream === '') site.proxy = null
  return lost
}
