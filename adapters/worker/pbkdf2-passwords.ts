import { siteHash } from '#adapters/shared/site-hash.ts'
import type { Passwords } from '#handlers/ports/passwords.ts'

/** The most that the Workers runtime allows. */
const ITERATIONS = 100_000
const SALT_BYTES = 16
const KEY_BITS = 256
const STORED = /^pbkdf2-sha256\$(\d{1,6})\$([A-Za-z0-9+/=]{24})\$([A-Za-z0-9+/=]{44})$/

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const derive = async (
  password: string,
  salt: Uint8Array,
  iterations: number,
): Promise<Uint8Array> => {
  const secret = new TextEncoder().encode(password)
  const key = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveBits'])
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, KEY_BITS))
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0)
  return difference === 0
}

/** PBKDF2-HMAC-SHA-256 from WebCrypto, stored as `pbkdf2-sha256$<iterations>$<salt>$<key>`. */
export const createPbkdf2Passwords = (): Passwords => ({
  siteHash,
  async hash(password) {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    const key = await derive(password, salt, ITERATIONS)
    return `pbkdf2-sha256$${ITERATIONS}$${toBase64(salt)}$${toBase64(key)}`
  },
  async verify(stored, password) {
    const [, iterations = '', salt = '', key = ''] = STORED.exec(stored) ?? []
    const readable = key !== ''
    const derived = await derive(
      password,
      readable ? fromBase64(salt) : new Uint8Array(SALT_BYTES),
      readable ? Number(iterations) : ITERATIONS,
    )
    return equal(derived, readable ? fromBase64(key) : new Uint8Array()) && readable
  },
})
