const isKeyCode = (code: number): boolean =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f

/**
 * The pairs `KEY='value'` of a line, as Hestia and Vesta write them. A value ends at
 * the next quote; what stands between pairs is skipped. Later values of a key win.
 * One pass, never evaluated.
 */
export const readQuotedPairs = (text: string): Map<string, string> => {
  const pairs = new Map<string, string>()
  let at = 0
  while (at < text.length) {
    const equals = text.indexOf("='", at)
    if (equals === -1) break
    let start = equals
    while (start > at && isKeyCode(text.charCodeAt(start - 1))) start--
    const end = text.indexOf("'", equals + 2)
    if (end === -1) break
    if (start < equals) pairs.set(text.slice(start, equals), text.slice(equals + 2, end))
    at = end + 1
  }
  return pairs
}
