const BYTES = 32

/** 256 fresh random bits, base64url: 43 characters. */
export const randomSecret = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
