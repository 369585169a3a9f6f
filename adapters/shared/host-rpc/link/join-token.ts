import { z } from 'zod'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'
import { sha256Hex } from '../signed-call.ts'
import {
  importSigningKey,
  isTrustListSignedBy,
  linkId,
  parseTrustList,
  TrustRefused,
} from './trust-list.ts'
import type { SignedTrustList, TrustList } from './trust-list.ts'

const PREFIX = 'berth-join-1.'
/** More than three panels with their certificates need; terminals take no longer lines. */
const MAX_CHARS = 4000
const SEED_BYTES = 32
/** Before the seed of an Ed25519 key stands this in PKCS #8 (RFC 8410, 7). */
const PKCS8 = Uint8Array.from([
  ...[0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22],
  ...[0x04, 0x20],
])
const PURPOSE = 'berth-joined-1\n'

const tokenSchema = z.strictObject({
  /** Secret: proves that whoever answers at the host's address was given the token. */
  seed: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  list: z.string().max(MAX_CHARS),
  signer: linkId,
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
})

/** What a machine is told to join by. */
export interface JoinToken {
  /** 32 bytes that nobody else has. */
  seed: Uint8Array<ArrayBuffer>
  list: TrustList
  signed: SignedTrustList
}

const keyOf = (seed: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8, ...seed]), 'Ed25519', true, ['sign'])

/** A token with the list, and the public key that is kept of its secret: the token cannot be made of it. */
export const createJoinToken = async (
  signed: SignedTrustList,
): Promise<{ token: string; publicKey: string }> => {
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES))
  const { x } = await crypto.subtle.exportKey('jwk', await keyOf(seed))
  if (x === undefined) throw new Error('an Ed25519 key without its public part')
  const { list, signer, signature } = signed
  const content = { seed: toBase64Url(seed), list, signer, signature }
  const text = toBase64Url(new TextEncoder().encode(JSON.stringify(content)))
  return { token: PREFIX + text, publicKey: x }
}

/** What a token says. Throws `TrustRefused` for anything else, also where no panel of its list signed it. */
export const parseJoinToken = async (text: string): Promise<JoinToken> => {
  const given = text.trim()
  if (!given.startsWith(PREFIX) || given.length > 2 * MAX_CHARS)
    throw new TrustRefused('this is not a token of "berth host add"')
  let read: z.output<typeof tokenSchema>
  try {
    const bytes = fromBase64Url(given.slice(PREFIX.length))
    read = tokenSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    throw new TrustRefused('the token is not whole; copy all of it')
  }
  const { seed, ...signed } = read
  const list = parseTrustList(signed.list)
  const signer = list.panels.find(({ id }) => id === signed.signer)
  if (
    signer === undefined ||
    !(await isTrustListSignedBy(signed, await importSigningKey(signer.key)))
  )
    throw new TrustRefused('the token was changed')
  return { seed: fromBase64Url(seed), list, signed }
}

const proved = async (host: string, certificate: string): Promise<Uint8Array<ArrayBuffer>> => {
  const digest = await sha256Hex(new Uint8Array(new TextEncoder().encode(certificate)))
  return new Uint8Array(new TextEncoder().encode(`${PURPOSE}${host}\n${digest}`))
}

/** Proves that the certificate is that of the machine which was given the token. */
export const proveJoined = async (
  seed: Uint8Array,
  host: string,
  certificate: string,
): Promise<string> => {
  const bytes = await proved(host, certificate)
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('Ed25519', await keyOf(seed), bytes)))
}

/** Whether it is proved, by what was kept of the token. */
export const isProofOfJoining = async (
  publicKey: string,
  proof: string,
  host: string,
  certificate: string,
): Promise<boolean> =>
  crypto.subtle.verify(
    'Ed25519',
    await importSigningKey(publicKey),
    fromBase64Url(proof),
    await proved(host, certificate),
  )
