import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { isPathPrefix } from '../../upstreams/path-prefix.ts'
import { MAX_RATE_LIMITS } from '../../site-settings/settings-schema.ts'
import type { Report } from '../report.ts'
import type { Directive, LegacyRateLimit } from '../types.ts'
import type { Location } from './nginx-locations.ts'
import { nearestAll, own, type Scope } from './nginx-scope.ts'

/** How often an address may ask, by the name of its zone. */
export type RequestZones = ReadonlyMap<string, Pick<LegacyRateLimit, 'requests' | 'perSecs'>>

const valueOf = ({ args }: Directive, name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1)

/** `limit_req_zone` of a configuration, as far as they count addresses. */
export const readRequestZones = (
  directives: readonly Directive[],
  report: Report,
): RequestZones => {
  const zones = new Map<string, Pick<LegacyRateLimit, 'requests' | 'perSecs'>>()
  for (const directive of directives) {
    if (directive.name !== 'limit_req_zone') continue
    const name = valueOf(directive, 'zone')?.split(':')[0] ?? ''
    const rate = /^(\d{1,6})r\/([sm])$/.exec(valueOf(directive, 'rate') ?? '')
    const isByAddress = /^\$(?:\{?binary_)?\{?remote_addr\}?$/.test(directive.args[0] ?? '')
    if (name === '' || rate === null || Number(rate[1]) === 0 || !isByAddress)
      report.lost(directive, 'Berth counts the requests of an address, and nothing else.')
    else zones.set(name, { requests: Number(rate[1]), perSecs: rate[2] === 'm' ? 60 : 1 })
  }
  return zones
}

/** `limit_req` of a server and its locations, as limits of paths. */
export const convertLimits = (
  scope: Scope,
  locations: readonly Location[],
  zones: RequestZones,
  report: Report,
): LegacyRateLimit[] => {
  const limits = new Map<string, LegacyRateLimit>()
  const add = (directive: Directive, path: string | null): void => {
    const zone = zones.get(valueOf(directive, 'zone') ?? '')
    if (zone === undefined) report.lost(directive, 'Its zone counts no requests of addresses.')
    else if (path === null || !isPathPrefix(path))
      report.lost(directive, 'Berth limits paths and all below them. Name one in guard.')
    else if (limits.has(path) || limits.size === MAX_RATE_LIMITS)
      report.lost(directive, 'A path has one limit, and a site twenty.')
    else {
      const burst = Number(/^\d{1,5}$/.exec(valueOf(directive, 'burst') ?? '')?.[0] ?? 0) + 1
      limits.set(path, { path, ...zone, burst })
      report.changed(directive, 'Whoever asks too often is refused at once, with 429.')
    }
  }
  for (const { scope: inner, kind, text } of locations) {
    const path = trimEndOf(text, '/') || '/'
    const isBelow = kind === 'prefix' || kind === 'preferred'
    for (const directive of own(inner, 'limit_req')) add(directive, isBelow ? path : null)
  }
  for (const directive of nearestAll(scope, 'limit_req')) add(directive, '/')
  return [...limits.values()]
}
