/** Control characters, and what reorders, hides or ends text: shown as what it is, never obeyed. Tabs are harmless. */
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu
const HEX = /^[0-9a-f]{2}$/

const escapeOf = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return code < 256 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`
}

/** `text` with every control, bidirectional and invisible character written out as `\x1b` or `\u{202e}`. */
export const visibleText = (text: string): string => text.replace(UNSEEN, escapeOf)

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const encoder = new TextEncoder()

/** Whether the bytes are those of the text: what is no UTF-8 was read as something else. */
const areOf = (bytes: readonly number[], text: string): boolean => {
  const encoded = encoder.encode(text)
  return encoded.length === bytes.length && encoded.every((byte, at) => byte === bytes[at])
}

/** Bytes that are no UTF-8 stay visible as `\xNN`. Nothing is thrown for them: a line may have thousands. */
const decodeBytes = (bytes: readonly number[]): string => {
  const text = decoder.decode(new Uint8Array(bytes))
  if (areOf(bytes, text)) return text
  return bytes
    .map((byte) =>
      byte < 128 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
}

/** Undoes the `\xNN` of our own log lines, as far as the result can be shown: what it hides stays written out. */
export const unescapeText = (text: string): string => {
  if (!text.includes('\\x')) return visibleText(text)
  let result = ''
  let bytes: number[] = []
  const flush = (): void => {
    if (bytes.length > 0) result += decodeBytes(bytes)
    bytes = []
  }
  for (let at = 0; at < text.length; at++) {
    const digits = text.slice(at + 2, at + 4)
    if (text[at] === '\\' && text[at + 1] === 'x' && HEX.test(digits)) {
      bytes.push(Number.parseInt(digits, 16))
      at += 3
    } else {
      flush()
      result += text[at] ?? ''
    }
  }
  flush()
  return visibleText(result)
}
