const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const PSEUDO = new Set([':method', ':scheme', ':authority', ':path'])

/**
 * Whether a request's list is plainly right (RFC 9113 8.2, 8.3): each of the four
 * pseudo-header fields once and before all others, names in lower case, values
 * without control characters and outer blanks. What is not is for the session to refuse.
 */
export const isWellFormed = (fields: readonly string[]): boolean => {
  const seen = new Set<string>()
  let regular = false
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, value] = [fields[at] as string, fields[at + 1] as string]
    if (!VALUE.test(value) || value !== value.trim()) return false
    if (PSEUDO.has(name)) {
      if (regular || seen.has(name) || value === '') return false
      seen.add(name)
    } else {
      regular = true
      if (!NAME.test(name)) return false
    }
  }
  return seen.size === PSEUDO.size
}
