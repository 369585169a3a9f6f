const MAX_LINES = 1000

/**
 * The SHA-256 that a file beside an archive tells of it, in lower case: as `sha256sum` writes it
 * (`<sum>  <name>`, `<sum> *<name>`), or the sum alone. Null where it tells none of that name.
 */
export const readSumFile = (text: string, name: string): string | null => {
  for (const line of text.split('\n', MAX_LINES)) {
    const sum = /^[0-9A-Fa-f]{64}(?![0-9A-Fa-f])/.exec(line)?.[0]
    if (sum === undefined) continue
    const rest = line.slice(sum.length).trim()
    const named = rest.startsWith('*') ? rest.slice(1) : rest
    if (named === '' || named === name) return sum.toLowerCase()
  }
  return null
}
