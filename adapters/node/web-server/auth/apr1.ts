import { createHash } from 'node:crypto'

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ROUNDS = 1000

const md5 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const encode = (value: number, characters: number): string => {
  let text = ''
  for (let rest = value, left = characters; left > 0; left--, rest >>>= 6) {
    text += ALPHABET[rest & 63]
  }
  return text
}

/** The MD5 form of passwords: `$apr1$salt$…` of htpasswd, `$1$salt$…` of crypt(3). `magic` is `$apr1$` or `$1$`. */
export const md5Crypt = (password: string, magic: string, salt: string): string => {
  const key = Buffer.from(password, 'utf8')
  const grain = Buffer.from(salt.slice(0, 8), 'latin1')
  const inner = md5(key, grain, key)
  const parts: Uint8Array[] = [key, Buffer.from(magic, 'latin1'), grain]
  for (let left = key.length; left > 0; left -= 16)
    parts.push(inner.subarray(0, Math.min(16, left)))
  for (let bits = key.length; bits > 0; bits >>= 1) {
    parts.push(bits & 1 ? Buffer.of(0) : key.subarray(0, 1))
  }
  let digest = md5(...parts)
  for (let round = 0; round < ROUNDS; round++) {
    const pieces: Uint8Array[] = [round & 1 ? key : digest]
    if (round % 3 !== 0) pieces.push(grain)
    if (round % 7 !== 0) pieces.push(key)
    pieces.push(round & 1 ? digest : key)
    digest = md5(...pieces)
  }
  const at = (index: number): number => digest[index] ?? 0
  const groups = [0, 1, 2, 3, 4].map((index) =>
    encode((at(index) << 16) | (at(index + 6) << 8) | at(index === 4 ? 5 : index + 12), 4),
  )
  return `${magic}${salt.slice(0, 8)}$${groups.join('')}${encode(at(11), 2)}`
}
