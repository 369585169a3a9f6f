import { endsInNumber } from '../text/ends-in-number.ts'

/** For whom a passkey is made: the panel under one name (WebAuthn level 3, "relying party"). */
export interface RelyingParty {
  /** Host name, to which browsers bind a passkey. */
  id: string
  /** Scheme, host and port of the panel's pages. */
  origin: string
}

/** A public key of a passkey, as it is kept. */
export interface PasskeyKey {
  /** base64url. */
  credentialId: string
  /** COSE key, base64url. */
  publicKey: string
  /** Signatures made, as far as the device counts; 0: it does not. */
  counter: number
  /** How browsers reach the device, e.g. `internal`, `usb`. */
  transports: string[]
}

/** What a browser answers when a passkey is made (`RegistrationResponseJSON`). */
export interface MadePasskey {
  id: string
  response: { clientDataJSON: string; attestationObject: string; transports: readonly string[] }
}

/** What a browser answers when a passkey is used (`AuthenticationResponseJSON`). */
export interface UsedPasskey {
  id: string
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle: string
  }
}

/** Options for `navigator.credentials`, in JSON. */
export type CeremonyOptions = Record<string, unknown>

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
const TIMEOUT_MS = 5 * 60_000

// The library is read by the first who uses a passkey: that takes a third of a second.
const library = () => import('@simplewebauthn/server')
const helpers = () => import('@simplewebauthn/server/helpers')

const knownTransports = (names: readonly string[]): string[] =>
  TRANSPORTS.filter((one) => names.includes(one))

/**
 * The panel as a relying party under the origin that the browser sees. Null where browsers
 * make no passkeys: without TLS (`localhost` apart), and at an address in place of a name.
 */
export const relyingPartyOf = (origin: string): RelyingParty | null => {
  const { hostname, protocol } = new URL(origin)
  if (hostname === 'localhost') return { id: hostname, origin }
  if (protocol !== 'https:' || endsInNumber(hostname) || hostname.startsWith('[')) return null
  return { id: hostname, origin }
}

/** What a browser needs to make a passkey for `user`, who has `existing` ones. */
export const makingOptions = async (
  party: RelyingParty,
  user: { handle: string; name: string },
  challenge: string,
  existing: readonly PasskeyKey[],
): Promise<CeremonyOptions> => {
  const { isoBase64URL, isoUint8Array } = await helpers()
  const options = await (
    await library()
  ).generateRegistrationOptions({
    rpName: 'Berth',
    rpID: party.id,
    userName: user.name,
    userID: isoUint8Array.fromUTF8String(user.handle),
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: knownTransports(transports),
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return { ...options }
}

/** What a browser needs to let somebody choose one of the passkeys it has for the panel. */
export const usingOptions = async (
  party: RelyingParty,
  challenge: string,
): Promise<CeremonyOptions> => {
  const { isoBase64URL } = await helpers()
  const options = await (
    await library()
  ).generateAuthenticationOptions({
    rpID: party.id,
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  })
  return { ...options }
}

/** The key of a passkey that a browser made for `challenge`; null when anything about it is wrong. */
export const checkMade = async (
  party: RelyingParty,
  challenge: string,
  { id, response }: MadePasskey,
): Promise<PasskeyKey | null> => {
  const { decodeAttestationObject, isoBase64URL } = await helpers()
  try {
    // None was asked for. Others hold certificates, whose revocation lists the library would
    // fetch from addresses that stand in them: a request of the panel's to wherever one likes.
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
    if (attestation.get('fmt') !== 'none') return null
    const { verified, registrationInfo } = await (
      await library()
    ).verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: response.clientDataJSON,
          attestationObject: response.attestationObject,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
    })
    if (!verified) return null
    const { credential } = registrationInfo
    return {
      credentialId: credential.id,
      publicKey: isoBase64URL.fromBuffer(credential.publicKey),
      counter: credential.counter,
      transports: knownTransports(response.transports),
    }
  } catch {
    return null
  }
}

/**
 * Whether a browser signed `challenge` with the passkey, its user verified by the device: how
 * often it signed now. Null when anything about it is wrong, a count that went back included.
 */
export const checkUsed = async (
  party: RelyingParty,
  challenge: string,
  { id, response }: UsedPasskey,
  key: Pick<PasskeyKey, 'credentialId' | 'publicKey' | 'counter'>,
): Promise<{ counter: number } | null> => {
  const { isoBase64URL } = await helpers()
  try {
    const { verified, authenticationInfo } = await (
      await library()
    ).verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response,
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: key.credentialId,
        publicKey: isoBase64URL.toBuffer(key.publicKey),
        counter: key.counter,
      },
    })
    return verified ? { counter: authenticationInfo.newCounter } : null
  } catch {
    return null
  }
}
