import { toHex } from '../text/hex.ts'

/**
 * SHA-256 in hexadecimal. For secrets that were drawn at random only: a password
 * needs a slow hash.
 */
export const secretHash = async (secret: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
  return toHex(new Uint8Array(digest))
}
