const lower = (text: string): string => text.toLowerCase()
const upper = (text: string): string => text.toUpperCase()

const bytesOf = (text: string): string =>
  String.fromCharCode(...new TextEncoder().encode(text.slice(0, 16_384)))

/** Escapes what may not stand in a path (RFC 3986, 3.3). */
const escape = (text: string): string =>
  bytesOf(text).replace(
    /[^A-Za-z0-9$\-_.+!*'(),:@&=/~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

const unescape = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const unbase64 = (text: string): string => {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)))
  } catch {
    return ''
  }
}

/**
 * Maps of texts that Apache has built in: `int:` of `RewriteMap`, which must be declared there, so
 * sites rarely use them, and functions of expressions.
 */
const MAPS: Readonly<Record<string, (text: string) => string>> = {
  tolower: lower,
  lowercase: lower,
  lc: lower,
  toupper: upper,
  uc: upper,
  escape,
  unescape,
  base64: (text) => btoa(bytesOf(text)),
  unbase64,
}

/** Whether there is such a map (lower case). */
export const isTextMap = (name: string): boolean => Object.hasOwn(MAPS, name)

/** The text through a map; empty for unknown ones. */
export const mapText = (name: string, text: string): string =>
  isTextMap(name) ? (MAPS[name]?.(text) ?? '') : ''
