import { sign, verify } from '@tsndr/cloudflare-worker-jwt'

/** How long a browser and its user may take over a passkey. */
const CEREMONY_SECS = 5 * 60

/** A challenge that was given out to a browser. Only signed, not kept: who asks for many fills nothing. */
export interface Ceremony {
  /** `login`, or `make <role>:<id>` for the user who asked. */
  purpose: string
  /** base64url. */
  challenge: string
  jti: string
  expiresAtSecs: number
}

// Another key than that of session tokens, so that neither ever passes for the other.
const keyOf = (secret: string): string => `${secret}|passkey ceremony`

/** The text that brings a challenge back with the browser's answer. */
export const signCeremony = (
  { purpose, challenge }: Pick<Ceremony, 'purpose' | 'challenge'>,
  nowSecs: number,
  secret: string,
): Promise<string> =>
  sign(
    { purpose, challenge, jti: crypto.randomUUID(), exp: nowSecs + CEREMONY_SECS },
    keyOf(secret),
    'HS256',
  )

/** Three base64url parts: anything else is refused before it reaches the JWT package. */
const SHAPE = /^[\w-]{1,512}\.[\w-]{1,1024}\.[\w-]{1,128}$/

/** The ceremony of such a text; null when it is forged, has expired or was for something else. */
export const readCeremony = async (
  text: string,
  purpose: string,
  nowSecs: number,
  secret: string,
): Promise<Ceremony | null> => {
  if (!SHAPE.test(text)) return null
  const result = await verify<Partial<Ceremony>, { alg?: string }>(text, keyOf(secret), {
    algorithm: 'HS256',
  }).catch(() => undefined)
  if (result?.header.alg !== 'HS256') return null
  const { challenge, jti, exp } = result.payload
  if (typeof challenge !== 'string' || typeof jti !== 'string' || exp === undefined) return null
  if (result.payload.purpose !== purpose || exp <= nowSecs) return null
  return { purpose, challenge, jti, expiresAtSecs: exp }
}
