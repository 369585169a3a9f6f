import { Secret, TOTP } from 'otpauth'

/** Codes of the step before and after count too: clocks differ, and typing takes time. */
const WINDOW = 1
const SECRET_BYTES = 20

/** A fresh secret of 160 bits, Base32. */
export const newTotpSecret = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return new Secret({ buffer: bytes.buffer }).base32
}

const totpOf = (secret: string, label = 'panel'): TOTP =>
  new TOTP({ issuer: 'Berth', label, secret: Secret.fromBase32(secret) })

/** The `otpauth://` URL that authenticator apps read from a QR code. */
export const totpUrl = (secret: string, username: string): string =>
  totpOf(secret, username).toString()

/** The time step (RFC 6238, 30 s) that `code` belongs to around `nowMs`; null when it is none's. */
export const totpStep = (secret: string, code: string, nowMs: number): number | null => {
  const digits = code.replace(/[\s-]/g, '')
  if (!/^\d{6}$/.test(digits)) return null
  const totp = totpOf(secret)
  const delta = totp.validate({ token: digits, timestamp: nowMs, window: WINDOW })
  return delta === null ? null : totp.counter({ timestamp: nowMs }) + delta
}
