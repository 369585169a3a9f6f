const MASK = '***'

/** Begin of a parameter of a query or a form, up to its value. */
const PARAMETER = /[?&;]([^=&;?#\s"']{1,200})=/g
const VALUE = /[^&#\s"']+/y
/**
 * Names which say that the value is a secret: anything with password, token,
 * secret, API key, auth, session, signature or credential in it, and the short
 * names that frameworks use (`key`, `code`, `sid`, `sig`, `nonce`, `otp`).
 */
const SECRET_NAME =
  /pass|pwd|token|secret|api[_-]?key|auth|signature|session|credential|nonce|^(?:key|code|sid|sig|otp)$/i

/** `p%61ss` is `pass` to the site, so it is here. */
const decodedName = (name: string): string =>
  name.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/** `Authorization: Bearer …` and the like, where a script wrote it. */
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi
/** `://user:password@`. */
const USERINFO = /(:\/\/[^\s/:@"]{1,128}):[^\s/@"]{1,256}@/g
/** The panel's own API tokens. */
const API_TOKEN = /\bberth_[\w-]{16,}/g
/** What may hold a JSON web token. */
const DOTTED = /[\w.-]{21,}/g
const TOKEN_BEGIN = /\beyJ[\w-]{8}/
const MIN_PART = 8

/** A run of `DOTTED` without the JSON web token in it. Part by part: one pattern for it takes hostile lines the square of their length. */
const maskWebToken = (run: string): string => {
  const parts = run.split('.')
  for (const [index, part] of parts.entries()) {
    const [payload, ...rest] = parts.slice(index + 1, index + 3)
    if (payload === undefined || payload.length < MIN_PART || rest.length === 0) continue
    const at = part.search(TOKEN_BEGIN)
    if (at !== -1) return [...parts.slice(0, index), part.slice(0, at) + MASK].join('.')
  }
  return run
}

const maskParameters = (text: string): string => {
  let masked = ''
  let from = 0
  for (const { index, 0: begin, 1: name = '' } of text.matchAll(PARAMETER)) {
    if (index < from || !SECRET_NAME.test(decodedName(name))) continue
    VALUE.lastIndex = index + begin.length
    const value = VALUE.exec(text)?.[0] ?? ''
    if (value === '') continue
    masked += `${text.slice(from, index)}${begin}${MASK}`
    from = index + begin.length + value.length
  }
  return masked + text.slice(from)
}

/** A log line as it may be shown: values that look like secrets are `***`. */
export const maskSecrets = (text: string): string =>
  maskParameters(text)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(USERINFO, `$1:${MASK}@`)
    .replace(DOTTED, maskWebToken)
    .replace(API_TOKEN, MASK)
