import { toHex } from '../text/hex.ts'

const BYTES = 16

/** 128 fresh random bits in hexadecimal digits, that nobody guesses and no two have. */
export const randomId = (): string => toHex(crypto.getRandomValues(new Uint8Array(BYTES)))
