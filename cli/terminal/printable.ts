/**
 * Text of others (file names, reasons, log lines) as a terminal may show it:
 * control characters, which could move the cursor or set colours, and those that
 * turn the direction of writing are written out as `\u{…}`.
 */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )
