import { isoBase64URL, isoCBOR, isoUint8Array, toHash } from '@simplewebauthn/server/helpers'

/** How an authenticator deviates from a right one. */
interface Deviation {
  /** The page that asks; default: the origin it is made for. */
  origin?: string
  /** Whose name the device signs; default: the host of the origin. */
  party?: string
  /** Whether the device checked who uses it. Default: true. */
  verified?: boolean
  /** Attestation format. Default: none. */
  format?: string
  /** What it says to have signed. Default: one more than before. */
  counter?: number
  /** `webauthn.get` or `webauthn.create`. Default: the right one. */
  type?: string
}

const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 }

const countBytes = (count: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, count)
  return bytes
}

/** An ECDSA signature of WebCrypto in DER, as authenticators give it. */
const toDer = (raw: Uint8Array): Uint8Array => {
  const integer = (bytes: Uint8Array): number[] => {
    let at = 0
    while (at < bytes.length - 1 && bytes[at] === 0) at += 1
    const digits = [...bytes.subarray(at)]
    if ((digits[0] ?? 0) >= 0x80) digits.unshift(0)
    return [0x02, digits.length, ...digits]
  }
  const both = [...integer(raw.subarray(0, 32)), ...integer(raw.subarray(32))]
  return Uint8Array.from([0x30, both.length, ...both])
}

/** A device with one passkey (ES256), for tests of the server's side. */
export class SoftwareAuthenticator {
  private readonly origin: string
  private readonly pair: CryptoKeyPair
  private readonly idBytes: Uint8Array<ArrayBuffer>
  private counter = 0

  private constructor(origin: string, pair: CryptoKeyPair) {
    this.origin = origin
    this.pair = pair
    this.idBytes = crypto.getRandomValues(new Uint8Array(16))
  }

  static async create(origin: string): Promise<SoftwareAuthenticator> {
    const kind = { name: 'ECDSA', namedCurve: 'P-256' }
    return new SoftwareAuthenticator(
      origin,
      await crypto.subtle.generateKey(kind, true, ['sign', 'verify']),
    )
  }

  get id(): string {
    return isoBase64URL.fromBuffer(this.idBytes)
  }

  private clientData(challenge: unknown, type: string, { origin = this.origin }: Deviation) {
    const text = JSON.stringify({ type, challenge, origin, crossOrigin: false })
    return isoUint8Array.fromUTF8String(text)
  }

  private async authData(flags: number, { party, verified = true, counter }: Deviation) {
    const id = party ?? new URL(this.origin).hostname
    this.counter = counter ?? this.counter + 1
    return isoUint8Array.concat([
      await toHash(isoUint8Array.fromUTF8String(id)),
      Uint8Array.of(flags | FLAGS.present | (verified ? FLAGS.verified : 0)),
      countBytes(this.counter),
    ])
  }

  /** `RegistrationResponseJSON` for options of the panel. */
  async make(options: Record<string, unknown>, deviation: Deviation = {}) {
    const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', this.pair.publicKey)
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, isoBase64URL.toBuffer(x)],
        [-3, isoBase64URL.toBuffer(y)],
      ]),
    )
    const authData = isoUint8Array.concat([
      await this.authData(FLAGS.attested, { counter: 0, ...deviation }),
      new Uint8Array(16),
      Uint8Array.of(0, this.idBytes.length),
      this.idBytes,
      cose,
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', deviation.format ?? 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    const type = deviation.type ?? 'webauthn.create'
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: isoBase64URL.fromBuffer(
          this.clientData(options['challenge'], type, deviation),
        ),
        attestationObject: isoBase64URL.fromBuffer(
          isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0]),
        ),
        transports: ['internal', 'odd'],
      },
    }
  }

  /** `AuthenticationResponseJSON` for options of the panel. */
  async use(options: Record<string, unknown>, deviation: Deviation = {}) {
    const clientData = this.clientData(
      options['challenge'],
      deviation.type ?? 'webauthn.get',
      deviation,
    )
    const authData = await this.authData(0, deviation)
    const signed = isoUint8Array.concat([authData, await toHash(clientData)])
    const kind = { name: 'ECDSA', hash: 'SHA-256' }
    const raw = await crypto.subtle.sign(kind, this.pair.privateKey, signed)
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: isoBase64URL.fromBuffer(clientData),
        authenticatorData: isoBase64URL.fromBuffer(authData),
        signature: isoBase64URL.fromBuffer(Uint8Array.from(toDer(new Uint8Array(raw)))),
      },
    }
  }
}
