import { z } from 'zod'

const DATE = /^\d{4}-\d\d-\d\d$/

const limit = z.int().min(-1)

/** What a licence file holds beside its signature. */
const licenseSchema = z.strictObject({
  holder: z.string().min(1).max(200),
  tier: z.enum(['pro', 'business']),
  /** -1 is unlimited. */
  accounts_limit: limit,
  domains_limit: limit,
  /** `YYYY-MM-DD`. */
  issued_at: z.string().regex(DATE),
  /** Last day it is good for, UTC; null: for ever. */
  expires_at: z.string().regex(DATE).nullable(),
})
const fileSchema = licenseSchema.extend({ signature: z.string() })

/** What the signature of a licence file vouches for. */
export type LicenseTerms = z.output<typeof licenseSchema>

/** A licence that was read, or why it does not count. */
export type LicenseReading =
  | { ok: true; terms: LicenseTerms }
  /** `terms` are there when the signature is good but the time is over. */
  | { ok: false; problem: string; terms: LicenseTerms | null }

const toBase64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)))
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** The bytes that are signed: the fields in a fixed order, so that the file's layout does not matter. */
const signedBytes = (terms: LicenseTerms): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    JSON.stringify([
      'berth-license-1',
      terms.holder,
      terms.tier,
      terms.accounts_limit,
      terms.domains_limit,
      terms.issued_at,
      terms.expires_at,
    ]),
  )

/** DER out of PEM. Throws when there is no block of that `label`. */
const fromPem = (pem: string, label: string): Uint8Array<ArrayBuffer> => {
  const match = new RegExp(
    `-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`,
  ).exec(pem)
  if (match?.[1] === undefined) throw new Error(`no "BEGIN ${label}" in it`)
  return fromBase64(match[1].replace(/\s/g, ''))
}

const toPem = (der: ArrayBuffer, label: string): string =>
  `-----BEGIN ${label}-----\n${(toBase64(der).match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`

/** A fresh Ed25519 pair, PEM (PKCS #8 and SPKI). */
export const newLicenseKeys = async (): Promise<{ privateKey: string; publicKey: string }> => {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const [pkcs8, spki] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
    crypto.subtle.exportKey('spki', pair.publicKey),
  ])
  return { privateKey: toPem(pkcs8, 'PRIVATE KEY'), publicKey: toPem(spki, 'PUBLIC KEY') }
}

/** Text of a licence file, signed with a private key in PEM. Throws for terms or a key that are none. */
export const signLicense = async (terms: LicenseTerms, privateKey: string): Promise<string> => {
  const checked = licenseSchema.parse(terms)
  const der = fromPem(privateKey, 'PRIVATE KEY')
  const key = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign'])
  const signature = toBase64(await crypto.subtle.sign('Ed25519', key, signedBytes(checked)))
  return `${JSON.stringify({ ...checked, signature }, null, 2)}\n`
}

/** End of the last day, ms. */
const endMs = (date: string): number => Date.parse(`${date}T23:59:59.999Z`)

/** Reads a licence file: whole, signed by the owner of `publicKey` (PEM), and not expired at `nowMs`. */
export const readLicense = async (
  text: string,
  publicKey: string,
  nowMs: number,
): Promise<LicenseReading> => {
  const refuse = (problem: string, terms: LicenseTerms | null = null): LicenseReading => ({
    ok: false,
    problem,
    terms,
  })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('it is not valid JSON')
  }
  const parsed = fileSchema.safeParse(value)
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') ?? ''
    return refuse(field === '' ? 'it is no licence file' : `its field ${field} is not valid`)
  }
  const { signature, ...terms } = parsed.data
  let key: CryptoKey
  try {
    const der = fromPem(publicKey, 'PUBLIC KEY')
    key = await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify'])
  } catch {
    return refuse('the public key is no Ed25519 key in PEM')
  }
  let good = false
  try {
    good = await crypto.subtle.verify('Ed25519', key, fromBase64(signature), signedBytes(terms))
  } catch {
    // What is no base64 is no signature.
  }
  if (!good) return refuse('its signature is not good')
  if (terms.expires_at !== null && nowMs > endMs(terms.expires_at)) {
    return refuse(`it expired on ${terms.expires_at}`, terms)
  }
  return { ok: true, terms }
}
