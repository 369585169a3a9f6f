/** One bit per character class, looked up by byte value. */
export const TOKEN = 1
/** Characters of a header field value: HTAB, SP, visible ASCII, obs-text (RFC 9110 5.5). */
export const VALUE = 2
/** Characters a request target may hold without another look: visible ASCII but `"#<>\^`{|}`. */
export const TARGET = 4
/** Characters of a host with a port: letters, digits, `.`, `-`, `_`, `:`. */
export const HOST = 8
/** Characters that have to be escaped in a log line. */
export const LOG_ESCAPE = 16

const build = (): Uint8Array => {
  const table = new Uint8Array(256)
  const mark = (bit: number, characters: string): void => {
    for (const character of characters) {
      const code = character.charCodeAt(0)
      table[code] = (table[code] ?? 0) | bit
    }
  }
  const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  mark(TOKEN, `${alphanumeric}!#$%&'*+-.^_\`|~`)
  mark(HOST, `${alphanumeric}.-_:`)
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code)
    const visible = code > 0x20 && code < 0x7f
    if (visible || code === 0x20 || code === 0x09 || code >= 0x80) mark(VALUE, character)
    if (visible && !'"#<>\\^`{|}'.includes(character)) mark(TARGET, character)
    if (!visible && code !== 0x20) mark(LOG_ESCAPE, character)
  }
  mark(LOG_ESCAPE, '"\\')
  return table
}

/** Classes of every byte. */
export const BYTE_CLASSES: Uint8Array = build()
