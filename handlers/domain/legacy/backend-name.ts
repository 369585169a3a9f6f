import { trimOf } from '../../../edge-cache/fields/field-text.ts'
import { MAIN_BACKEND } from '../config/proxy/backends.ts'
import type { LegacyProxy, LegacySite } from './types.ts'

/** What is known of the applications of a site, so that a new one is not compared with all. */
interface Index {
  byUpstream: Map<string, string[]>
  /** The last number behind a name. */
  numbers: Map<string, number>
}
const indexes = new WeakMap<LegacySite['backends'], Index>()

const indexOf = (backends: LegacySite['backends']): Index => {
  const known = indexes.get(backends)
  if (known) return known
  const made: Index = { byUpstream: new Map(), numbers: new Map() }
  for (const [name, { upstream }] of Object.entries(backends))
    made.byUpstream.set(upstream, [...(made.byUpstream.get(upstream) ?? []), name])
  indexes.set(backends, made)
  return made
}

/** The name of an application among those of a site, which it joins when it is none of them. */
export const backendName = (
  proxy: LegacyProxy,
  given: string,
  { backends }: LegacySite,
): string => {
  const index = indexOf(backends)
  const text = JSON.stringify(proxy)
  const alike = index.byUpstream.get(proxy.upstream) ?? []
  const known = alike.find((name) => JSON.stringify(backends[name]) === text)
  if (known !== undefined) return known
  const letters = given.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const plain = trimOf(letters, '-').slice(0, 24)
  const base = /^[a-z]/.test(plain) && plain !== MAIN_BACKEND ? plain : 'app'
  let name = base
  for (let number = index.numbers.get(base) ?? 1; Object.hasOwn(backends, name);) {
    name = `${base}-${++number}`
    index.numbers.set(base, number)
  }
  backends[name] = proxy
  index.byUpstream.set(proxy.upstream, alike)
  alike.push(name)
  return name
}
