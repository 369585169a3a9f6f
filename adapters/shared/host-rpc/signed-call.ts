import { z } from 'zod'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'
import { toHex } from '#handlers/domain/text/hex.ts'

/** Header with what a call claims: base64url of JSON. */
export const CALL_HEADER = 'berth-call'
/** Header with its Ed25519 signature: base64url of 64 bytes. */
export const SIGNATURE_HEADER = 'berth-signature'

/** Path at which a panel gets a session, by a signed call that is in none. */
export const SESSION_METHOD = 'session'
/** Path at which a panel asks what became of a call, by `{"input":{"call"}}`. */
export const OUTCOME_METHOD = 'outcome'

/** Longest value of the first, in characters; nothing longer is even decoded. */
const MAX_CALL_CHARS = 4096
const SIGNATURE_CHARS = 86

/** What is signed begins with it, so that no signature of something else counts as one of a call. */
const PURPOSE = 'berth-call-1\n'

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
const sixteenBytes = z.string().regex(/^[0-9a-f]{32}$/)

const claimsSchema = z.strictObject({
  v: z.literal(1),
  host: id,
  panel: id,
  session: sixteenBytes.nullable(),
  call: sixteenBytes,
  method: z.string().regex(/^[A-Za-z]{1,40}(?:\/[A-Za-z]{1,40})?$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  subject: z.string().max(200).nullable(),
  term: z.int().nonnegative().nullable(),
})

/** What a call claims of itself. */
export interface CallClaims {
  v: 1
  /** Which host is asked: a call for one is worth nothing at another. */
  host: string
  /** Which panel instance asks; by it the key is found. */
  panel: string
  /** 16 bytes in hexadecimal digits that the host handed out; null: the call asks for them. */
  session: string | null
  /** 16 random bytes in hexadecimal digits; counts once in a session. */
  call: string
  /** `<port>/<method>`, or one of the two above. */
  method: string
  /** Of the body, in hexadecimal digits. */
  sha256: string
  /** The lease under which it is made, e.g. `account:alice`; null: none. */
  subject: string | null
  /** Term of that lease; a host refuses a lower one than it has seen. */
  term: number | null
}

/** Why a call does not count. What the caller is told is no more than this. */
export type CallRefusal =
  | 'unsigned'
  | 'malformed'
  | 'unknown-panel'
  | 'bad-signature'
  | 'wrong-host'
  | 'wrong-method'
  | 'changed-body'
  | 'stale-session'
  | 'replayed'
  | 'not-for-role'

/** A call that is not to be answered. */
export class CallRefused extends Error {
  readonly refusal: CallRefusal

  constructor(refusal: CallRefusal) {
    super(`The call is refused: ${refusal}.`)
    this.name = 'CallRefused'
    this.refusal = refusal
  }
}

/** SHA-256 in hexadecimal digits. */
export const sha256Hex = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))

/** Of which Workers' types say that it may be shared memory. */
const signed = (claims: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(PURPOSE + claims))

/**
 * The two headers of a call, signed by `key` (Ed25519, usage `sign`). What is signed is the
 * header's text as it is sent, so that nobody has to agree on how JSON is written.
 */
export const signCall = async (
  key: CryptoKey,
  claims: Omit<CallClaims, 'v' | 'sha256'>,
  body: Uint8Array<ArrayBuffer>,
): Promise<Record<typeof CALL_HEADER | typeof SIGNATURE_HEADER, string>> => {
  const { host, panel, session, call, method, subject, term } = claims
  const all: CallClaims = claimsSchema.parse({
    ...{ v: 1, host, panel, session, call, method, sha256: await sha256Hex(body), subject, term },
  })
  const text = toBase64Url(new TextEncoder().encode(JSON.stringify(all)))
  const signature = await crypto.subtle.sign('Ed25519', key, signed(text))
  return { [CALL_HEADER]: text, [SIGNATURE_HEADER]: toBase64Url(new Uint8Array(signature)) }
}

const claimsOf = (text: string): CallClaims => {
  try {
    const bytes = fromBase64Url(text)
    return claimsSchema.parse(
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)),
    )
  } catch {
    throw new CallRefused('malformed')
  }
}

/** What a call must be. */
export interface ExpectedCall {
  /** This host. */
  host: string
  /** What is asked for by the request's path. */
  method: string
  /** Body as it arrived. */
  body: Uint8Array<ArrayBuffer>
  /** Key of a panel (Ed25519, usage `verify`); null: it is not, or no more, one of ours. */
  keyOf(panel: string): CryptoKey | null
}

/**
 * What a call claims, once its signature, host, method and body are proved. Session and
 * replay are for whoever keeps the sessions. Throws `CallRefused`; nothing of a call is
 * looked at beyond its panel's name before its signature counts.
 */
export const verifyCall = async (headers: Headers, expected: ExpectedCall): Promise<CallClaims> => {
  const text = headers.get(CALL_HEADER)
  const signature = headers.get(SIGNATURE_HEADER)
  if (text === null || signature === null) throw new CallRefused('unsigned')
  if (text.length > MAX_CALL_CHARS || signature.length !== SIGNATURE_CHARS)
    throw new CallRefused('malformed')
  const claims = claimsOf(text)
  const key = expected.keyOf(claims.panel)
  if (key === null) throw new CallRefused('unknown-panel')
  if (!(await isSignedBy(key, text, signature))) throw new CallRefused('bad-signature')
  if (claims.host !== expected.host) throw new CallRefused('wrong-host')
  if (claims.method !== expected.method) throw new CallRefused('wrong-method')
  if (claims.sha256 !== (await sha256Hex(expected.body))) throw new CallRefused('changed-body')
  return claims
}

const isSignedBy = async (key: CryptoKey, text: string, signature: string): Promise<boolean> => {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = fromBase64Url(signature)
  } catch {
    throw new CallRefused('malformed')
  }
  return crypto.subtle.verify('Ed25519', key, bytes, signed(text))
}
