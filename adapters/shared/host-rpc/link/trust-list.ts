import { z } from 'zod'
import { isForgotten } from '#handlers/domain/hosts/panel-family.ts'
import { MOST_TRUST_STEP } from '#handlers/domain/hosts/trust-step.ts'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'

/** Largest list that is read, in characters: sixteen panels with their certificates. */
const MAX_CHARS = 64 * 1024
const MAX_PANELS = 16
/** What is signed begins with it, so that no signature of something else counts as one of a list. */
const PURPOSE = 'berth-trust-1\n'
const CERTIFICATE =
  /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]{64,3000}\n-----END CERTIFICATE-----\n?$/

/** Names of panels and hosts at the link. */
export const linkId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
/** One certificate as PEM, without anything around it. */
export const linkCertificate = z.string().max(4096).regex(CERTIFICATE)
/** An Ed25519 public key: base64url of its 32 bytes. */
export const signingKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

const panel = z.strictObject({ id: linkId, certificate: linkCertificate, key: signingKey })
const listSchema = z
  .strictObject({
    v: z.literal(1),
    host: linkId,
    role: z.enum(['host', 'front']),
    version: z.int().positive(),
    panels: z.array(panel).max(MAX_PANELS),
  })
  .refine(({ panels }) => new Set(panels.map(({ id }) => id)).size === panels.length, {
    error: 'a panel is named twice',
  })

/** Which panels a host obeys. */
export type TrustList = z.output<typeof listSchema>
/** A panel as a host knows it. */
export type TrustedPanel = z.output<typeof panel>

const signedSchema = z.strictObject({
  /** JSON of the list, as it was signed. */
  list: z.string().max(MAX_CHARS),
  signer: linkId,
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
})

/** A list with the signature of one of the panels of the version before. */
export type SignedTrustList = z.output<typeof signedSchema>

/** Why a list is not taken. */
export class TrustRefused extends Error {
  constructor(reason: string) {
    super(`The trust list is refused: ${reason}.`)
    this.name = 'TrustRefused'
  }
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(PURPOSE + text))

/** The list that a text holds. Throws `TrustRefused`. */
export const parseTrustList = (text: string): TrustList => {
  if (text.length > MAX_CHARS) throw new TrustRefused('it is too large')
  try {
    return listSchema.parse(JSON.parse(text))
  } catch {
    throw new TrustRefused('it is not one')
  }
}

/** The signed list that a text holds, unproved. Throws `TrustRefused`. */
export const parseSignedTrustList = (text: string): SignedTrustList => {
  if (text.length > 2 * MAX_CHARS) throw new TrustRefused('it is too large')
  try {
    return signedSchema.parse(JSON.parse(text))
  } catch {
    throw new TrustRefused('it is not one')
  }
}

/** A public key of a list, to verify with. Throws for one that is none. */
export const importSigningKey = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', fromBase64Url(key), 'Ed25519', true, ['verify'])

/** Signs a list by the key (Ed25519, usage `sign`) of the panel `signer`. */
export const signTrustList = async (
  list: TrustList,
  signer: string,
  key: CryptoKey,
): Promise<SignedTrustList> => {
  const text = JSON.stringify(listSchema.parse(list))
  const signature = await crypto.subtle.sign('Ed25519', key, bytesOf(text))
  return { list: text, signer, signature: toBase64Url(new Uint8Array(signature)) }
}

/** Whether `key` signed the list. */
export const isTrustListSignedBy = async (
  { list, signature }: SignedTrustList,
  key: CryptoKey,
): Promise<boolean> => crypto.subtle.verify('Ed25519', key, fromBase64Url(signature), bytesOf(list))

/**
 * The list that comes after `current`: for the same host and role, with a higher version, signed by
 * a panel of `current`, without any that root at the host forgot (`forgotten`, whatever keys it has now), and not
 * empty. Throws `TrustRefused`.
 */
export const nextTrustList = async (
  current: TrustList,
  signed: SignedTrustList,
  forgotten: readonly string[] = [],
): Promise<TrustList> => {
  const signer = current.panels.find(({ id }) => id === signed.signer)
  if (signer === undefined) throw new TrustRefused('nobody of the present list signed it')
  if (!(await isTrustListSignedBy(signed, await importSigningKey(signer.key))))
    throw new TrustRefused('its signature is wrong')
  const next = parseTrustList(signed.list)
  if (next.host !== current.host) throw new TrustRefused('it is for another host')
  if (next.role !== current.role) throw new TrustRefused('it is for another role')
  if (next.version <= current.version) throw new TrustRefused('it is not newer')
  if (next.version > current.version + MOST_TRUST_STEP)
    throw new TrustRefused('its version is too far ahead')
  const panels = next.panels.filter(({ id }) => !isForgotten(forgotten, id))
  if (panels.length === 0) throw new TrustRefused('it names no panel')
  return { ...next, panels }
}
