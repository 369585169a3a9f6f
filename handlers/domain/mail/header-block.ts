/** One field of a message's head. */
export interface HeaderField {
  /** As it was written. */
  name: string
  /** Behind the colon, with the line ends of folding in it; without the last line end. */
  value: string
}

/** The head of a message, and where its body begins. */
export interface HeaderBlock {
  fields: HeaderField[]
  /** Index of the first character behind the empty line. */
  bodyAt: number
}

/** Most fields that a head may have. */
export const MAX_HEADER_FIELDS = 1000

const NAME = /^[!-9;-~]{1,100}$/

/** Where the head ends that `text` begins with, whose lines end with CRLF; -1: it is not whole yet. */
export const headEnd = (text: string): number => {
  if (text.startsWith('\r\n')) return 2
  const at = text.indexOf('\r\n\r\n')
  return at === -1 ? -1 : at + 4
}

/**
 * Reads the head of a message whose lines end with CRLF. A line that is no field ends the
 * head and is the first of the body, as sendmail has it; a first line `From ` of a mailbox is
 * left out. Null for more than `MAX_HEADER_FIELDS`.
 */
export const readHeaderBlock = (text: string): HeaderBlock | null => {
  const fields: HeaderField[] = []
  let at = 0
  while (at < text.length) {
    const found = text.indexOf('\r\n', at)
    const end = found === -1 ? text.length : found
    const next = found === -1 ? text.length : found + 2
    if (end === at) return { fields, bodyAt: next }
    const first = text[at]
    const last = fields.at(-1)
    if (first === ' ' || first === '\t') {
      if (last === undefined) return { fields, bodyAt: at }
      last.value += `\r\n${text.slice(at, end)}`
    } else if (at > 0 || !text.startsWith('From ')) {
      const colon = text.indexOf(':', at)
      // A name is short; what lies further away is no name's colon.
      const name = colon === -1 || colon - at > 200 || colon > end ? '' : text.slice(at, colon)
      const bare = name.trimEnd()
      if (!NAME.test(bare)) return { fields, bodyAt: at }
      if (fields.length >= MAX_HEADER_FIELDS) return null
      fields.push({ name: bare, value: text.slice(colon + 1, end) })
    }
    at = next
  }
  return { fields, bodyAt: text.length }
}
