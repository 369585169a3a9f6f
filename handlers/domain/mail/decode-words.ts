const WORD = /^=\?([A-Za-z0-9-]{1,40})\?([bqBQ])\?([!->@-~]{0,400})\?=$/

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0))

const decodeQ = (text: string): string =>
  text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

const decoded = (word: string): string | null => {
  const [, charset = '', kind = '', content = ''] = WORD.exec(word) ?? []
  if (charset === '') return null
  try {
    const binary = kind.toLowerCase() === 'b' ? atob(content) : decodeQ(content)
    return new TextDecoder(charset).decode(bytesOf(binary))
  } catch {
    return null
  }
}

/** Bytes, one to a character, as the text that they are in UTF-8; themselves where they are none. */
const utf8 = (binary: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(binary))
  } catch {
    return binary
  }
}

/**
 * The value of a field as people read it: encoded words (RFC 2047) are decoded, control
 * characters are blanks, and it is cut at `most` characters. `binary` has one character for
 * each byte; of a very long one only the beginning is read.
 */
export const decodeWords = (binary: string, most: number): string => {
  let text = ''
  let wasWord = false
  for (const word of binary.slice(0, most * 8).split(/[ \t\r\n]+/)) {
    const plain = decoded(word)
    // Nothing stands between two encoded words.
    if (text !== '' && !(wasWord && plain !== null)) text += ' '
    text += plain ?? utf8(word)
    wasWord = plain !== null
  }
  return [...text.replaceAll(/\p{C}/gu, ' ')].slice(0, most).join('')
}
