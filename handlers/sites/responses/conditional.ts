import { type BytePart, parseHttpDate, readRanges } from '../../../edge-cache/index.ts'

/** What a file is compared by. */
export interface Validators {
  /** With quotes, and `W/` where it is weak. */
  etag: string
  /** Whole seconds, in milliseconds since the epoch. */
  lastModifiedMs: number
}

/** How a request for a file is to be answered. */
export type Selection =
  { status: 200 | 304 | 412 | 416 } | { status: 206; ranges: readonly [BytePart, ...BytePart[]] }

const opaque = (tag: string): string => tag.replace(/^W\//, '')
const tagsOf = (field: string): string[] => field.match(/(?:W\/)?"[^"]*"/g) ?? []

const weakMatch = (field: string, etag: string): boolean =>
  field.trim() === '*' || tagsOf(field).some((tag) => opaque(tag) === opaque(etag))

const strongMatch = (field: string, etag: string): boolean =>
  field.trim() === '*' || (!etag.startsWith('W/') && tagsOf(field).includes(etag))

/** Milliseconds of an HTTP date; null when it is none, so that the field is ignored (RFC 9110, 13.1.3). */
const dateOf = (field: string | null): number | null =>
  field === null ? null : parseHttpDate(field, Date.now())

const rangeApplies = (ifRange: string | null, validators: Validators): boolean => {
  if (ifRange === null) return true
  if (ifRange.includes('"')) return strongMatch(ifRange, validators.etag)
  return !validators.etag.startsWith('W/') && dateOf(ifRange) === validators.lastModifiedMs
}

/** Conditions and ranges of a GET or HEAD in the order of RFC 9110, 13.2.2. */
export const selectPart = (
  method: string,
  headers: Headers,
  validators: Validators,
  sizeBytes: number,
): Selection => {
  const ifMatch = headers.get('if-match')
  const unmodifiedSince = dateOf(headers.get('if-unmodified-since'))
  if (ifMatch !== null) {
    if (!strongMatch(ifMatch, validators.etag)) return { status: 412 }
  } else if (unmodifiedSince !== null && validators.lastModifiedMs > unmodifiedSince) {
    return { status: 412 }
  }
  const noneMatch = headers.get('if-none-match')
  const modifiedSince = dateOf(headers.get('if-modified-since'))
  if (noneMatch !== null) {
    if (weakMatch(noneMatch, validators.etag)) return { status: 304 }
  } else if (modifiedSince !== null && validators.lastModifiedMs <= modifiedSince) {
    return { status: 304 }
  }
  const wanted = headers.get('range')
  if (method !== 'GET' || wanted === null) return { status: 200 }
  if (!rangeApplies(headers.get('if-range'), validators)) return { status: 200 }
  const found = readRanges(wanted, sizeBytes)
  if (found === 'none') return { status: 416 }
  const [first, ...more] = found ?? []
  return first === undefined ? { status: 200 } : { status: 206, ranges: [first, ...more] }
}
