/** The pairs of lines `key=value`; lines without a sign and comments (`#`) are skipped, the first value of a key wins. */
export const readEqualsLines = (text: string): Map<string, string> => {
  const pairs = new Map<string, string>()
  for (const line of text.split('\n')) {
    const at = line.indexOf('=')
    const key = at === -1 ? '' : line.slice(0, at).trim()
    if (key !== '' && !key.startsWith('#') && !pairs.has(key))
      pairs.set(key, line.slice(at + 1).trim())
  }
  return pairs
}
