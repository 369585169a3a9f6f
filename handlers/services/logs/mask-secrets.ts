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
/** JSON web tokens, and the panel's own API tokens. */
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\bberth_[\w-]{16,}/g

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
    .replace(TOKEN, MASK)
