declare module 'punycode/punycode.es6.js' {
  /** Labels that begin with `xn--` decoded (RFC 3492). Throws `RangeError` for what is none. */
  export const toUnicode: (name: string) => string
}
