import { trimOf } from '../../../edge-cache/fields/field-text.ts'
import { MAIN_BACKEND } from '../config/proxy/backends.ts'
import type { LegacyProxy, LegacySite } from './types.ts'

/** The name of an application among those of a site, which it joins when it is none of them. */
export const backendName = (
  proxy: LegacyProxy,
  given: string,
  { backends }: LegacySite,
): string => {
  const same = (other: LegacyProxy): boolean => JSON.stringify(other) === JSON.stringify(proxy)
  const known = Object.entries(backends).find(([, other]) => same(other))
  if (known) return known[0]
  const letters = given.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const plain = trimOf(letters, '-').slice(0, 24)
  const base = /^[a-z]/.test(plain) && plain !== MAIN_BACKEND ? plain : 'app'
  let name = base
  for (let number = 2; Object.hasOwn(backends, name); number++) name = `${base}-${number}`
  backends[name] = proxy
  return name
}
