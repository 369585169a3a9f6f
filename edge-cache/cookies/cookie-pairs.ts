/** More cookies than this are not looked at one by one: browsers keep at most 180 of a site. */
export const MAX_COOKIES = 200

/**
 * Calls `visit` with name (lower case) and value of each cookie of a `Cookie` field
 * until it answers true; whether one did, or there are more than `MAX_COOKIES`.
 */
export const someCookie = (
  header: string,
  visit: (lowerName: string, value: string) => boolean,
): boolean => {
  let start = 0
  for (let count = 0; start <= header.length; count++) {
    if (count === MAX_COOKIES) return true
    const semicolon = header.indexOf(';', start)
    const end = semicolon === -1 ? header.length : semicolon
    const equals = header.indexOf('=', start)
    const nameEnd = equals === -1 || equals > end ? end : equals
    const name = header.slice(start, nameEnd).trim().toLowerCase()
    if (name !== '' && visit(name, header.slice(nameEnd + 1, end).trim())) return true
    start = end + 1
  }
  return false
}
