const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
const DIGITS = '23456789'
const SIGNS = '-_.+=@#%'
const ALL = LETTERS + DIGITS + SIGNS

/** Uniform index below `length` (rejection sampling: a plain modulo favours the low ones). */
const randomIndex = (length: number): number => {
  const limit = 256 - (256 % length)
  const byte = new Uint8Array(1)
  do crypto.getRandomValues(byte)
  while ((byte[0] ?? 0) >= limit)
  return (byte[0] ?? 0) % length
}
const pick = (alphabet: string): string => alphabet.charAt(randomIndex(alphabet.length))

/** A random password of 20 characters without look-alikes, with letters, digits and signs (about 119 bits). */
export const generatePassword = (): string => {
  let password: string
  do password = Array.from({ length: 20 }, () => pick(ALL)).join('')
  while (!/[a-z]/.test(password) || !/[A-Z]/.test(password) || !/\d/.test(password))
  return password
}

export interface Strength {
  /** 0-100. */
  score: number
  level: 'weak' | 'fair' | 'strong'
}

/** A rough guess from length, kinds of characters and repetition; it guides and never blocks. */
export const passwordStrength = (password: string): Strength => {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length
  const distinct = new Set(password).size
  const common = /^(.)\1*$|password|qwert|12345|letmein|admin/i.test(password)
  const raw = Math.min(distinct, 16) * 4 + (kinds - 1) * 8 + Math.min(password.length, 20)
  const score = password === '' ? 0 : Math.min(100, common ? Math.min(raw, 25) : raw)
  const level = score < 45 || password.length < 8 ? 'weak' : score < 72 ? 'fair' : 'strong'
  return { score, level }
}
