import { toUnicode } from 'punycode/punycode.es6.js'

/**
 * An international name as its owner writes it, `b\u00fccher.example` for `xn--bcher-kva.example`;
 * null for every other name, and for labels that stand for no text. It is shown beside the
 * name itself, never in place of it: letters of other scripts may look like Latin ones.
 */
export const readName = (name: string): string | null => {
  if (!/(?:^|\.)xn--/i.test(name)) return null
  try {
    const read = toUnicode(name.toLowerCase())
    // Blanks, marks of direction and empty labels are nothing that people read.
    return read === name.toLowerCase() || /[\p{C}\p{Z}]|^\.|\.\./u.test(read) ? null : read
  } catch {
    return null
  }
}
