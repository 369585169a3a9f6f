/** Bytes of a file, both ends included. */
export interface ByteRange {
  start: number
  end: number
}

/** One range of a `Range` field (RFC 9110, 14.1.2); null: answer the whole; `none`: nothing of it exists. */
export const parseRange = (field: string, sizeBytes: number): ByteRange | 'none' | null => {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(field)
  if (!match) return null
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return null
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= sizeBytes) return 'none'
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}
