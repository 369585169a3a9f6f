const encoder = new TextEncoder()
const HEX = /^sha256=([0-9a-f]{64})$/i

/** Whether `header`, as `sha256=` and hexadecimal digits, is the HMAC of `body` with `secret`; compared in constant time. */
export const isSigned = async (
  header: string,
  secret: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> => {
  const [, digits] = HEX.exec(header) ?? []
  if (digits === undefined) return false
  const signature = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'verify',
  ])
  return crypto.subtle.verify('HMAC', key, signature, body)
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export const isSameSecret = async (one: string, other: string): Promise<boolean> => {
  const digests = await Promise.all(
    [one, other].map((text) => crypto.subtle.digest('SHA-256', encoder.encode(text))),
  )
  const [a, b] = digests.map((digest) => new Uint8Array(digest))
  if (a === undefined || b === undefined) return false
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0
}
