/** Crockford's Base32: 32 characters without i, l, o and u, which are easily misread. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16

/** A fresh code for the day the authenticator is lost: four groups of four, 80 random bits. */
export const newRecoveryCode = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH))
  const text = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

/** A code as it is hashed, however it was typed; null for what cannot be one. */
export const normalRecoveryCode = (text: string): string | null => {
  const plain = text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return plain.length === LENGTH ? plain : null
}
