import { createHash } from 'node:crypto'

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DEFAULT_ROUNDS = 5000
const MIN_ROUNDS = 1000
/** Half a second; what is written with more is not checked. */
const MAX_ROUNDS = 200_000

type Algorithm = 'sha256' | 'sha512'

/** Which bytes of the digest make each group of four characters, highest first. */
const groupsOf = (algorithm: Algorithm): (readonly [number | null, number | null, number])[] => {
  if (algorithm === 'sha256') {
    const groups = Array.from({ length: 10 }, (_, n): [number, number, number] => {
      const turn = [n, n + 10, n + 20]
      const shift = (3 - (n % 3)) % 3
      return [0, 1, 2].map((part) => turn[(part + shift) % 3] ?? 0) as [number, number, number]
    })
    return [...groups, [null, 31, 30]]
  }
  const groups = Array.from({ length: 21 }, (_, n): [number, number, number] => {
    const turn = [n, n + 21, n + 42]
    const shift = n % 3
    return [0, 1, 2].map((part) => turn[(part + shift) % 3] ?? 0) as [number, number, number]
  })
  return [...groups, [null, null, 63]]
}

const encode = (digest: Buffer, algorithm: Algorithm): string => {
  let text = ''
  for (const group of groupsOf(algorithm)) {
    let value = 0
    for (const at of group) value = (value << 8) | (at === null ? 0 : (digest[at] ?? 0))
    const bytes = group.filter((at) => at !== null).length
    for (let left = bytes + 1; left > 0; left--) {
      text += ALPHABET[value & 0x3f]
      value >>>= 6
    }
  }
  return text
}

/** A sequence made of `block` over and over, `size` bytes long. */
const repeated = (block: Buffer, size: number): Buffer => Buffer.alloc(size, block)

/** `$5$` and `$6$` of crypt(3), as `htpasswd -2` and `-5` write them; null for a setting that is none. */
export const shaCrypt = (password: string, setting: string): string | null => {
  const found = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([^$]{0,16})/.exec(setting)
  if (!found) return null
  const algorithm: Algorithm = found[1] === '5' ? 'sha256' : 'sha512'
  const asked = found[2] === undefined ? DEFAULT_ROUNDS : Number(found[2])
  const rounds = Math.max(asked, MIN_ROUNDS)
  if (rounds > MAX_ROUNDS) return null
  const salt = Buffer.from(found[3] ?? '')
  const key = Buffer.from(password)
  const digestOf = (...parts: Buffer[]): Buffer => {
    const hash = createHash(algorithm)
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
  const alternate = digestOf(key, salt, key)
  const first = [key, salt, repeated(alternate, key.length)]
  for (let left = key.length; left > 0; left >>= 1) first.push(left & 1 ? alternate : key)
  let digest = digestOf(...first)
  const keySequence = repeated(
    digestOf(...Array.from({ length: key.length }, () => key)),
    key.length,
  )
  const saltSequence = repeated(
    digestOf(...Array.from({ length: 16 + (digest[0] ?? 0) }, () => salt)),
    salt.length,
  )
  for (let round = 0; round < rounds; round++) {
    const odd = round % 2 === 1
    const parts = [odd ? keySequence : digest]
    if (round % 3 !== 0) parts.push(saltSequence)
    if (round % 7 !== 0) parts.push(keySequence)
    parts.push(odd ? digest : keySequence)
    digest = digestOf(...parts)
  }
  const named = found[2] === undefined ? '' : `rounds=${rounds}$`
  return `$${found[1]}$${named}${salt.toString()}$${encode(digest, algorithm)}`
}
