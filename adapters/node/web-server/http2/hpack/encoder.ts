import { STATIC_FIELDS } from './tables.ts'

const FULL = new Map<string, number>()
const NAMED = new Map<string, number>()
STATIC_FIELDS.forEach(([name, value], at) => {
  if (value !== '') FULL.set(`${name}=${value}`, at + 1)
  if (!NAMED.has(name)) NAMED.set(name, at + 1)
})
/** At most: the first octet, and for name and value each a length. */
const OVERHEAD_BYTES = 16

/** Writes an integer whose first octet has `mask` for it and `bits` before it (RFC 7541 5.1); answers where it ends. */
const putInteger = (
  out: Buffer,
  start: number,
  bits: number,
  mask: number,
  value: number,
): number => {
  let at = start
  out[at++] = bits | Math.min(value, mask)
  if (value < mask) return at
  let rest = value - mask
  for (; rest >= 128; rest >>>= 7) out[at++] = (rest & 127) | 128
  out[at++] = rest
  return at
}

const putText = (out: Buffer, at: number, text: string): number => {
  const start = putInteger(out, at, 0, 127, text.length)
  return start + out.write(text, start, 'latin1')
}

/**
 * A header block that neither needs nor changes a dynamic table, so that it means
 * the same on every connection at every time. `fields`: names and values in turn, latin1.
 */
export const encodeFields = (fields: readonly string[]): Buffer => {
  let most = 0
  for (const text of fields) most += text.length + OVERHEAD_BYTES / 2
  const out = Buffer.allocUnsafe(most)
  let end = 0
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, value] = [fields[at] as string, fields[at + 1] as string]
    const full = FULL.get(`${name}=${value}`)
    if (full !== undefined) {
      end = putInteger(out, end, 0x80, 127, full)
      continue
    }
    const named = NAMED.get(name) ?? 0
    end = putInteger(out, end, 0, 15, named)
    if (named === 0) end = putText(out, end, name)
    end = putText(out, end, value)
  }
  return out.subarray(0, end)
}
