/** A public key for log-ins, read out of a line as `ssh-keygen` writes it. */
export interface PublicKey {
  /** E.g. `ssh-ed25519`. */
  type: string
  /** Type and base64, and nothing else: no options, no comment. */
  text: string
  /** What stood behind it, as it was written. */
  comment: string
  /** Length of an RSA modulus; null for other types. */
  bits: number | null
  blob: Uint8Array<ArrayBuffer>
}

/** A line that is no key: what is wrong with it, as the end of a sentence. */
export interface KeyFault {
  fault: string
}

const MOST_CHARACTERS = 8000
const LEAST_RSA_BITS = 2048
const MOST_RSA_BITS = 16_384
const CURVE_BYTES: Readonly<Record<string, number>> = { nistp256: 65, nistp384: 97, nistp521: 133 }
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const fault = (text: string): KeyFault => ({ fault: text })

const decoded = (base64: string): Uint8Array<ArrayBuffer> | null => {
  if (!BASE64.test(base64) || base64.length % 4 !== 0) return null
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    // Bits that say nothing could make two texts of one key.
    return btoa(String.fromCharCode(...bytes)) === base64 ? bytes : null
  } catch {
    return null
  }
}

/** The fields of a blob (RFC 4251, `string`); null where it does not end with one. */
const fieldsOf = (blob: Uint8Array<ArrayBuffer>): Uint8Array[] | null => {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  const fields: Uint8Array[] = []
  let at = 0
  while (at < blob.length) {
    if (at + 4 > blob.length || fields.length === 5) return null
    const length = view.getUint32(at)
    at += 4
    if (length > blob.length - at) return null
    fields.push(blob.subarray(at, at + length))
    at += length
  }
  return fields
}

const asText = (bytes: Uint8Array | undefined): string =>
  bytes === undefined || bytes.length > 100 ? '' : String.fromCharCode(...bytes)

const bitsOf = (mpint: Uint8Array): number => {
  const bytes = mpint[0] === 0 ? mpint.subarray(1) : mpint
  return bytes.length === 0 ? 0 : bytes.length * 8 - (Math.clz32(bytes[0] ?? 0) - 24)
}

const isPoint = (curve: string, point: Uint8Array | undefined): boolean =>
  point?.length === CURVE_BYTES[curve] && point?.[0] === 4

const isApplication = (field: Uint8Array | undefined): boolean =>
  /^[\x21-\x7e]+$/.test(asText(field))

const WHOLE: Readonly<Record<string, (fields: Uint8Array[]) => boolean>> = {
  'ssh-ed25519': ([, key, ...rest]) => key?.length === 32 && rest.length === 0,
  'sk-ssh-ed25519@openssh.com': ([, key, application, ...rest]) =>
    key?.length === 32 && isApplication(application) && rest.length === 0,
  'sk-ecdsa-sha2-nistp256@openssh.com': ([, curve, point, application, ...rest]) =>
    asText(curve) === 'nistp256' &&
    isPoint('nistp256', point) &&
    isApplication(application) &&
    rest.length === 0,
  'ssh-rsa': ([, exponent, modulus, ...rest]) =>
    exponent !== undefined &&
    exponent.length > 0 &&
    exponent.length <= 8 &&
    modulus !== undefined &&
    ((modulus[0] ?? 0x80) & 0x80) === 0 &&
    rest.length === 0,
  ...Object.fromEntries(
    Object.keys(CURVE_BYTES).map((name) => [
      `ecdsa-sha2-${name}`,
      ([, curve, point, ...rest]: Uint8Array[]) =>
        asText(curve) === name && isPoint(name, point) && rest.length === 0,
    ]),
  ),
}

/** Types of keys that are taken. */
export const KEY_TYPES: readonly string[] = Object.keys(WHOLE)

/**
 * Reads one public key. Options before the type, as `authorized_keys` has them, are
 * refused, and so is everything that is not the whole of one key: what is kept is written
 * into a file that sshd obeys.
 */
export const parsePublicKey = (line: string): PublicKey | KeyFault => {
  if (line.length > MOST_CHARACTERS) return fault(`must be at most ${MOST_CHARACTERS} characters.`)
  const trimmed = line.trim()
  if (/PRIVATE KEY/.test(trimmed))
    return fault('is a private key, which should never leave your machine. Give the .pub file.')
  if (/^-{4,5} ?BEGIN/.test(trimmed))
    return fault('is in another format. Convert it with: ssh-keygen -i -f FILE')
  if (/[\p{Cc}\u2028\u2029]/u.test(trimmed.replaceAll('\t', ' ')))
    return fault('must be one key on one line.')
  const [type = '', base64 = '', ...words] = trimmed.split(/[ \t]+/, 100)
  if (type === 'ssh-dss')
    return fault('is of type DSA, which is no longer safe. Make an ed25519 key.')
  const isWhole = Object.hasOwn(WHOLE, type) ? WHOLE[type] : undefined
  if (isWhole === undefined)
    return fault('must begin with its type, such as "ssh-ed25519 AAAA…", as in a .pub file.')
  const blob = decoded(base64)
  const fields = blob === null ? null : fieldsOf(blob)
  if (blob === null || fields === null || asText(fields[0]) !== type || !isWhole(fields))
    return fault('is not whole. Copy the line of the .pub file anew.')
  const bits = type === 'ssh-rsa' ? bitsOf(fields[2] ?? new Uint8Array()) : null
  if (bits !== null && bits < LEAST_RSA_BITS)
    return fault(`has only ${bits} bits. Make an ed25519 key, or an RSA key of 3072 bits.`)
  if (bits !== null && bits > MOST_RSA_BITS) return fault(`has more than ${MOST_RSA_BITS} bits.`)
  return { type, text: `${type} ${base64}`, comment: words.join(' '), bits, blob }
}

/** As `ssh-keygen -l` shows it. */
export const fingerprintOf = async (blob: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', blob))
  return `SHA256:${btoa(String.fromCharCode(...digest)).replace('=', '')}`
}
