const MASK = '***'

/**
 * Parameters whose names say that the value is a secret: anything with password,
 * token, secret, API key, auth, session, signature or credential in it, and the
 * short names that frameworks use (`key`, `code`, `sid`, `sig`, `nonce`, `otp`).
 */
const PARAMETER =
  /([?&;](?:[\w.%[\]-]{0,64}(?:pass|pwd|token|secret|api[_-]?key|auth|signature|session|credential|nonce)[\w.%[\]-]{0,64}|key|code|sid|sig|otp))=[^&#\s"']+/gi
/** `Authorization: Bearer …` and the like, where a script wrote it. */
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi
/** `://user:password@`. */
const USERINFO = /(:\/\/[^\s/:@"]{1,128}):[^\s/@"]{1,256}@/g
/** JSON web tokens, and the panel's own API tokens. */
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\bberth_[\w-]{16,}/g

/** A log line as it may be shown: values that look like secrets are `***`. */
export const maskSecrets = (text: string): string =>
  text
    .replace(PARAMETER, `$1=${MASK}`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(USERINFO, `$1:${MASK}@`)
    .replace(TOKEN, MASK)
