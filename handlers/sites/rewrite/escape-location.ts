/** Characters that stay as they are in a location: what a URL may hold, and `%` of escapes that are there already only where `keep`. */
const escapeWith = (text: string, raw: RegExp): string =>
  text.replace(raw, (character) => encodeURIComponent(character.toWellFormed()))

/** A path with everything escaped that may not stand in one; `%` too. */
export const escapePath = (path: string): string =>
  escapeWith(path, /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu)

/** Makes what a rule wrote safe for a header, and leaves the rest (`NE`). */
export const guardLocation = (text: string): string =>
  escapeWith(text, /[^\x21\x23-\x5b\x5d-\x7e]/gu)

/** A query with everything escaped that may not stand in one; escapes stay. */
export const escapeQuery = (query: string): string =>
  escapeWith(query, /[^\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]/gu)

/** An address with a scheme: its path and fragment are escaped, its beginning stays. */
export const escapeAddress = (address: string): string => {
  const start = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(address)?.[0] ?? ''
  return (
    guardLocation(start) +
    escapeWith(address.slice(start.length), /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#]/gu)
  )
}

/** Escapes what a pattern found, for the flag `B`; `plus`: a blank becomes `+`. */
export const escapeFound = (text: string, characters: string, plus = false): string =>
  [...text]
    .map((character) =>
      (characters === 'all' ? !/[A-Za-z0-9_-]/.test(character) : characters.includes(character))
        ? encodeURIComponent(character)
            .replace('%20', plus ? '+' : '%20')
            .replace(/[!'()*.~]/g, (plain) => `%${plain.charCodeAt(0).toString(16).toUpperCase()}`)
        : character,
    )
    .join('')
