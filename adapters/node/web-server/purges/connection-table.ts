import { endianness } from 'node:os'
import ipaddr from 'ipaddr.js'

/** The two ends of a TCP connection, seen from the server. */
export interface PeerConnection {
  clientAddress: string
  clientPort: number
  serverAddress: string
  serverPort: number
}

/** Who holds an end of a connection. */
interface Holder {
  uid: number
  /** 0: nobody any more. */
  inode: number
}

/** Connections of this machine that are established. */
export interface ConnectionTable {
  /**
   * Who holds an end; `ends` are both as the kernel writes them, the holder's first, with a
   * blank between. Undefined: nobody; null: several.
   */
  holderOf(ends: string): Holder | null | undefined
}

/** Uid that stands for users of another namespace (user_namespaces(7)): it names nobody. */
const OVERFLOW_UID = 65_534
/** TCP_ESTABLISHED in the kernel's tables. */
const ESTABLISHED = ' 01 '
const BLANK = 0x20

/** Number that begins at `at` behind blanks, and where it ends; -1 where there is none. */
const numberAt = (text: string, from: number): { value: number; end: number } => {
  let at = from
  while (text.charCodeAt(at) === BLANK) at++
  let value = 0
  const begin = at
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(++at))
    value = value * 10 + code - 0x30
  return { value: at === begin ? -1 : value, end: at }
}

/** Index behind `count` fields and the blanks before each. */
const behindFields = (text: string, from: number, count: number): number => {
  let at = from
  for (let field = 0; field < count; field++) {
    while (text.charCodeAt(at) === BLANK) at++
    while (at < text.length && text.charCodeAt(at) > BLANK) at++
  }
  return at
}

const BUCKETS = 2 ** 16

/** Bucket of the ends that begin at `from`, and where they end; -1 where there are none before `to`. */
const bucketOf = (text: string, from: number, to: number): { bucket: number; end: number } => {
  let hash = 0
  let blanks = 0
  let at = from
  for (; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === BLANK && ++blanks === 2) break
    hash = (Math.imul(hash, 31) + code) | 0
  }
  return { bucket: (hash ^ (hash >>> 16)) & (BUCKETS - 1), end: blanks === 0 ? -1 : at }
}

/** What follows the state: tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode */
const holderAt = (text: string, from: number): Holder => {
  const uid = numberAt(text, behindFields(text, from, 3))
  const inode = numberAt(text, numberAt(text, uid.end).end)
  return { uid: uid.value, inode: inode.value }
}

/**
 * Reads the text of `/proc/net/tcp` and `tcp6` (proc_net_tcp(5)) once, from its beginning
 * to its end; whoever asks then looks at few of its lines. Lines that are cut or are
 * something else count for nothing. Makes nothing of each line: there may be very many.
 */
export const readConnectionTable = (text: string): ConnectionTable => {
  const heads = new Int32Array(BUCKETS).fill(-1)
  /** Of each line: where its ends begin, and the line before it in its bucket. */
  const lines: number[] = []
  const before: number[] = []
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf('\n', start)
    const stop = newline === -1 ? text.length : newline
    const number = text.indexOf(': ', start)
    if (number === -1) break
    start = stop + 1
    const { bucket, end } = bucketOf(text, number + 2, stop)
    if (end === -1 || !text.startsWith(ESTABLISHED, end)) continue
    before.push(heads[bucket] ?? -1)
    heads[bucket] = lines.push(number + 2) - 1
  }
  return {
    holderOf(ends) {
      const line = `${ends}${ESTABLISHED}`
      let found: Holder | undefined
      let at = heads[bucketOf(ends, 0, ends.length).bucket] ?? -1
      for (; at !== -1; at = before[at] ?? -1) {
        const from = lines[at] ?? 0
        if (!text.startsWith(line, from)) continue
        const holder = holderAt(text, from + line.length)
        // While the kernel's table changes a line may be read twice.
        if (found && (found.uid !== holder.uid || found.inode !== holder.inode)) return null
        found = holder
      }
      return found
    },
  }
}

/** Bytes of an address; null for text that is none, such as one with a zone. */
const bytesOf = (address: string): number[] | null =>
  ipaddr.isValid(address) && !address.includes('%') ? ipaddr.process(address).toByteArray() : null

/** As the kernel writes addresses: words of four bytes in the machine's own order. */
const hexOf = (bytes: readonly number[]): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4)
    if (endianness() === 'LE') word.reverse()
    text += word.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  return text.toUpperCase()
}
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
const portOf = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

/** The one holder of an end, whichever table it is in; null for none, and for several. */
const oneHolder = (
  table: ConnectionTable,
  keyOf: (more: readonly number[]) => string,
  isFour: boolean,
): Holder | null => {
  // A socket of IPv6 may hold an end of IPv4.
  const keys = isFour ? [keyOf([]), keyOf(MAPPED)] : [keyOf([])]
  const found = keys.map((key) => table.holderOf(key)).filter((holder) => holder !== undefined)
  return found.length === 1 ? (found[0] ?? null) : null
}

/**
 * Uid of the client's end of a connection; null when it is not there. Both ends must be
 * established and have an inode: a closed socket shows uid 0, which is why root never
 * counts either, and without the server's end the client's is of another connection.
 */
export const findPeerUid = (table: ConnectionTable, connection: PeerConnection): number | null => {
  const client = bytesOf(connection.clientAddress)
  const server = bytesOf(connection.serverAddress)
  if (client === null || server?.length !== client.length) return null
  const isFour = client.length === 4
  const clientEnd = (more: readonly number[]): string =>
    `${hexOf([...more, ...client])}:${portOf(connection.clientPort)}`
  const serverEnd = (more: readonly number[]): string =>
    `${hexOf([...more, ...server])}:${portOf(connection.serverPort)}`
  const theirs = oneHolder(table, (more) => `${clientEnd(more)} ${serverEnd(more)}`, isFour)
  const ours = oneHolder(table, (more) => `${serverEnd(more)} ${clientEnd(more)}`, isFour)
  if (theirs === null || ours === null || ours.inode <= 0 || theirs.inode <= 0) return null
  return theirs.uid <= 0 || theirs.uid === OVERFLOW_UID ? null : theirs.uid
}
