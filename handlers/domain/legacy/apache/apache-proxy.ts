import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { parseProxyUpstream } from '../../config/proxy/proxy-upstream.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacyProxy, LegacySite } from '../types.ts'
import { phpRouteOf } from './apache-handlers.ts'

const CHALLENGE = /^\/\.well-known(?:\/|$)/

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

/** Path and target without what they end in together, e.g. `/api` and `http://app:3000`. */
const splitTarget = (
  target: string,
): { origin: string; path: string; socket: string | null } | null => {
  const unix = /^unix:([^|]+)\|https?:\/\/[^/]*(\/.*)?$/i.exec(target)
  if (unix) return { origin: `unix:${unix[1]}`, path: unix[2] ?? '', socket: unix[1] ?? '' }
  const url = /^((?:https?|wss?):\/\/[^/]+)(\/.*)?$/i.exec(target)
  if (!url) return null
  const origin = (url[1] ?? '').replace(/^ws/i, 'http')
  return { origin, path: url[2] ?? '', socket: null }
}

const trimmed = (path: string): string => trimEndOf(path, '/')

/**
 * `ProxyPass` and its kin: the application of a site. A site has one; what leads
 * to another, or to another path, is lost. False: nothing answers this path now.
 */
export const convertProxyPass = (
  directive: Directive,
  location: string | null,
  site: LegacySite,
  report: Report,
): boolean => {
  const { path, target, isMatch } = partsOf(directive, location)
  const php = phpRouteOf(target)
  if (php !== null) {
    if (php.kind === 'other') report.lost(directive, php.how)
    else site.phpSocket ??= php.path
    return true
  }
  const everything = isMatch && /^\^?\/?\(\.[*+]\)\$?$/.test(path)
  if (isMatch && !everything) {
    const isChallenge = CHALLENGE.test(path.replace(/^\^|\\/g, ''))
    if (isChallenge) report.unneeded(directive, CHALLENGES)
    else report.lost(directive, 'Paths are passed on by their beginning, not by a pattern.')
    return isChallenge
  }
  if (target === '!') {
    if (CHALLENGE.test(path)) report.unneeded(directive, CHALLENGES)
    else if (site.proxy) site.proxy.except.push(path)
    else site.proxy = { ...emptyProxy(), except: [path] }
    return true
  }
  const to = splitTarget(target)
  const wrong = to === null ? 'it is no address' : parseProxyUpstream(to.origin)
  if (to === null || typeof wrong === 'string') {
    report.lost(directive, `It leads where nothing can be passed on to: ${String(wrong)}`)
    return false
  }
  const from = everything ? '' : trimmed(path)
  if (!everything && trimmed(to.path) !== from) {
    report.lost(
      directive,
      'Berth passes a path on as it is. Let the application answer it under the same path.',
    )
    return false
  }
  const proxy = (site.proxy ??= emptyProxy())
  if (proxy.upstream !== '' && proxy.upstream !== to.origin) {
    if (/^wss?:/i.test(target) || /^ws:/i.test(path)) return true
    report.lost(directive, `A site has one application, and it is ${proxy.upstream}.`)
    return false
  }
  proxy.upstream = to.origin
  proxy.timeoutSecs ??= timeoutOf(directive.args)
  if (from === '') proxy.paths = null
  else if (proxy.paths !== null && !proxy.paths.includes(from)) proxy.paths.push(from)
  return true
}

const CHALLENGES = 'Berth answers certificate authorities by itself.'

/** A proxy without an upstream yet, and without paths. */
export const emptyProxy = (): LegacyProxy => ({
  upstream: '',
  paths: [],
  except: [],
  preserveHost: false,
  websocket: true,
  verifyTls: true,
  timeoutSecs: null,
})
