const PREFIX = 'berth_'
const RANDOM_BYTES = 32
const SHAPE = /^berth_[\w-]{43}$/

/** What a token may be used for; `write` includes `cache`. */
export const TOKEN_SCOPES = ['read', 'write', 'cache'] as const

/** A fresh API token: `berth_` and 256 random bits, base64url. */
export const newApiToken = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  const text = btoa(String.fromCharCode(...bytes))
  return PREFIX + text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Whether a text is shaped like an API token; a session never is. */
export const isApiToken = (text: string): boolean => SHAPE.test(text)
