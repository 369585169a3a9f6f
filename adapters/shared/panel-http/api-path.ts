/** Decodes percent escapes as long as that changes something; a broken escape ends it. */
const decoded = (path: string): string => {
  let current = path
  for (let round = 0; round < 3; round++) {
    let next: string
    try {
      next = decodeURIComponent(current)
    } catch {
      return current
    }
    if (next === current) break
    current = next
  }
  return current
}

/**
 * Whether a path means the API, however it is written: doubled slashes,
 * escapes, other case, dot segments. Such forms go to the API as well, which
 * answers them in its own shape; the UI never sees them.
 */
export const isApiPath = (pathname: string): boolean => {
  const segments: string[] = []
  for (const segment of decoded(pathname).replaceAll('\\', '/').split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  return segments[0]?.toLowerCase() === 'api'
}
