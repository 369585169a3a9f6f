/** Control characters, and what reorders or hides text (bidirectional marks, zero-width signs). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

/** A file's name with nothing in it that could pass for another: what is unseen is written as `\u{…}`. */
export const visibleName = (name: string): string =>
  name.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
