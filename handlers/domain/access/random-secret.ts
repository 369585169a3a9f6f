import { toBase64Url } from '../text/base64-url.ts'

const BYTES = 32

/** 256 fresh random bits, base64url: 43 characters. */
export const randomSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(BYTES)))
