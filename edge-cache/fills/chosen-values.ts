import { isUsualValue } from '../fields/browser-fields.ts'
import { isForwardingField } from '../fields/forwarding-fields.ts'

/**
 * Something of a request that the visitor chose. `whole` is looked for as it is, a
 * `value` by its words where it has any; `referer` by words and pieces of the address.
 */
export interface ChosenValue {
  kind: 'value' | 'whole' | 'referer'
  text: string
}

/** Values of cookies that are switches. */
const SWITCHES = new Set(['', '0', '1', 'true', 'false', 'yes', 'no'])
/** Shorter names of cookies are those of the lists. */
const MIN_NAME_LENGTH = 6

const ofCookies = (field: string): ChosenValue[] =>
  field.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = (at === -1 ? pair : pair.slice(0, at)).trim()
    const value = at === -1 ? '' : pair.slice(at + 1).trim()
    const chosen: ChosenValue[] = []
    // A name that a pattern knows is free text behind its beginning.
    if (name.length >= MIN_NAME_LENGTH) chosen.push({ kind: 'whole', text: name })
    if (!SWITCHES.has(value)) chosen.push({ kind: 'value', text: value })
    return chosen
  })

const ADDRESS = /^[\d.:a-f]+$/i

/** One part of what a proxy said: `for="[2001:db8::1]:4711"` is an address, whatever stands around it. */
const partOf = (part: string): string =>
  part
    .replace(/^[a-z]{1,16}=/i, '')
    .replace(/^"?\[?/, '')
    .replace(/"$/, '')
    .replace(/\](?::\d{1,5})?$/, '')
    .replace(/^([\d.]{7,15}):\d{1,5}$/, '$1')

/** What a trusted proxy says of its client; short words of its own (a country, a port) tell of nobody. */
const ofProxy = (field: string, host: string): ChosenValue[] =>
  field
    .split(/[,;\s]/)
    .map(partOf)
    .filter((text) => text.length >= 4 && text.toLowerCase() !== host && !/^\d+$/.test(text))
    .map((text) => ({ kind: ADDRESS.test(text) ? 'whole' : 'value', text }))

/** Host of an address; null when it is none. */
const hostOf = (address: string): string | null =>
  /^https?:\/\/([^/?#@]+)/i.exec(address)?.[1]?.toLowerCase() ?? null

/** A Referer of the same site as the application gets it: that it is of the site, not of which page. */
export const ownReferer = (referer: string, ownHost: string | null): string | null => {
  const host = hostOf(referer)
  if (host === null || ownHost === null || host !== ownHost.toLowerCase()) return null
  return referer.slice(0, referer.indexOf('//') + 2 + host.length) + '/'
}

/** All of a request that is the visitor's own; `host` is the requested one, without a port. */
export const chosenValues = (headers: Headers, host: string): ChosenValue[] => {
  const values: ChosenValue[] = []
  for (const [name, value] of headers) {
    if (isUsualValue(name, value)) continue
    if (isForwardingField(name)) values.push(...ofProxy(value, host))
    else if (name === 'cookie') values.push(...ofCookies(value))
    else if (name !== 'referer') values.push({ kind: 'value', text: value })
    else if (ownReferer(value, headers.get('host')) === null)
      values.push({ kind: 'referer', text: value })
  }
  return values.filter(({ text }) => text !== '')
}
