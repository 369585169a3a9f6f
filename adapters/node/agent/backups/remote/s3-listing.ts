import type { StoredFile } from './remote-store.ts'

/** A page of ListObjectsV2. */
export interface S3Page {
  files: StoredFile[]
  /** Where the next page begins; null: this was the last one. */
  next: string | null
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

const textOfXml = (xml: string): string =>
  xml.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (all, decimal, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name] ?? all
    const code = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

/** Content of the first element of that name between two places; null: there is none. */
const within = (xml: string, name: string, from: number, to: number): string | null => {
  const start = xml.indexOf(`<${name}>`, from)
  if (start === -1 || start >= to) return null
  const begin = start + name.length + 2
  const end = xml.indexOf(`</${name}>`, begin)
  return end === -1 || end > to ? null : xml.slice(begin, end)
}

const CONTENTS = '<Contents>'

/**
 * Reads a page as a service has sent it, each byte a bounded number of times; null for what
 * is no such page. An element without key or size is left out.
 */
export const parseS3Page = (xml: string): S3Page | null => {
  const first = xml.indexOf(CONTENTS)
  const head = xml.slice(0, first === -1 ? xml.length : first)
  if (!head.includes('<ListBucketResult')) return null
  const files: StoredFile[] = []
  let rest = first === -1 ? xml.length : first
  for (let at = first; at !== -1;) {
    const end = xml.indexOf('</Contents>', at)
    if (end === -1) return null
    const item = xml.slice(at, end)
    const key = within(item, 'Key', 0, item.length)
    const size = within(item, 'Size', 0, item.length)
    if (key !== null && size !== null && /^\d{1,15}$/.test(size))
      files.push({ name: textOfXml(key), sizeBytes: Number(size) })
    rest = end
    at = xml.indexOf(CONTENTS, end)
  }
  // These stand before the objects or after them, as services like.
  const around = `${head}${xml.slice(rest)}`
  const isTruncated = within(around, 'IsTruncated', 0, around.length) === 'true'
  const token = within(around, 'NextContinuationToken', 0, around.length)
  return { files, next: isTruncated && token !== null ? textOfXml(token) : null }
}
