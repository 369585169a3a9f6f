/** In small files escapes do no harm. */
const ANY_ESCAPES_BYTES = 64 * 1024
const [TAB, LF, CR, QUOTE, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x22, 0x5c]

/**
 * Whether JSON would make half as much again of a large file, or more: no text has so many
 * quotes, line ends or control characters, of which six are made each. 10 MiB of NUL would be
 * 60 on its way to the client, and hold up the panel for everybody.
 */
const swells = (body: Buffer): boolean => {
  const { length } = body
  if (length <= ANY_ESCAPES_BYTES) return false
  let more = 0
  for (let at = 0; at < length; at++) {
    const byte = body[at] as number
    if (byte === TAB || byte === LF || byte === CR || byte === QUOTE || byte === BACKSLASH) more++
    else if (byte < 0x20) more += 5
  }
  return more > length / 2
}

/** A file's bytes as the API gives them: UTF-8 as text, everything else as base64. */
export const textContent = (body: Buffer): { content: string; encoding: 'utf8' | 'base64' } => {
  if (swells(body)) return { content: body.toString('base64'), encoding: 'base64' }
  try {
    // A byte order mark is content: what is saved back must be what was read.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { content: decoder.decode(body), encoding: 'utf8' }
  } catch {
    return { content: body.toString('base64'), encoding: 'base64' }
  }
}
