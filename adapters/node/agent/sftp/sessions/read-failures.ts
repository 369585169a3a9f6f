/** A password that sshd did not take. */
export interface FailedLogin {
  /** As it was said, of at most 32 bytes; of nobody in particular. */
  username: string
  address: string
  atMs: number
}

/** Where the parts of an entry of utmp(5) lie that differ between machines. */
interface Layout {
  size: number
  seconds: number
  address: number
}

const SHORT: Layout = { size: 384, seconds: 340, address: 348 }
const LAYOUTS: Readonly<Partial<Record<NodeJS.Architecture, Layout>>> = {
  x64: SHORT,
  ia32: SHORT,
  arm: SHORT,
  arm64: { size: 400, seconds: 344, address: 360 },
}
const LINE = { at: 8, length: 32 }
const USER = { at: 44, length: 32 }
/** What sshd calls the terminal of a client that is not in. */
const OF_SSHD = 'ssh:notty'

const textOf = (entry: Buffer, { at, length }: typeof LINE): string => {
  const field = entry.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('latin1', 0, end === -1 ? length : end)
}

/** Four bytes stand for IPv4 where the other twelve are zero. */
const addressOf = (entry: Buffer, at: number): string => {
  const bytes = entry.subarray(at, at + 16)
  if (bytes.subarray(4).every((byte) => byte === 0)) return bytes.subarray(0, 4).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  // The URL standard says how it is written shortest.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** How many bytes an entry of btmp(5) has here; null: it is not known. */
export const failureSize = (machine: NodeJS.Architecture = process.arch): number | null =>
  LAYOUTS[machine]?.size ?? null

/**
 * What sshd wrote of failed attempts to btmp(5). Entries and their fields have fixed sizes, so
 * no name, however it is made, reaches beyond its own.
 */
export const readFailures = (
  bytes: Buffer,
  machine: NodeJS.Architecture = process.arch,
): FailedLogin[] => {
  const layout = LAYOUTS[machine]
  if (layout === undefined) return []
  const found: FailedLogin[] = []
  for (let at = 0; at + layout.size <= bytes.length; at += layout.size) {
    const entry = bytes.subarray(at, at + layout.size)
    if (textOf(entry, LINE) !== OF_SSHD) continue
    found.push({
      username: textOf(entry, USER),
      address: addressOf(entry, layout.address),
      atMs: entry.readUInt32LE(layout.seconds) * 1000,
    })
  }
  return found
}
