import { randomSecret } from './random-secret.ts'

const PREFIX = 'berth_'
const SHAPE = /^berth_[\w-]{43}$/

/** What a token may be used for; `write` includes `cache`. */
export const TOKEN_SCOPES = ['read', 'write', 'cache'] as const

/** A fresh API token: `berth_` and 256 random bits, base64url. */
export const newApiToken = (): string => PREFIX + randomSecret()

/** Whether a text is shaped like an API token; a session never is. */
export const isApiToken = (text: string): boolean => SHAPE.test(text)
