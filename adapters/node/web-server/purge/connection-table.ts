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

/**
 * Connections of this machine that are established, by both ends as the kernel writes
 * them, the holder's own first. Null: two holders have the same ends.
 */
export type ConnectionTable = ReadonlyMap<string, Holder | null>

/** Uid that stands for users of another namespace (user_namespaces(7)): it names nobody. */
const OVERFLOW_UID = 65_534
/** TCP_ESTABLISHED in the kernel's tables. */
const ESTABLISHED = ' 01 '

/** Number that begins at `at` behind blanks, and where it ends; -1 where there is none. */
const numberAt = (text: string, from: number): { value: number; end: number } => {
  let at = from
  while (text.charCodeAt(at) === 0x20) at++
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
    while (text.charCodeAt(at) === 0x20) at++
    while (at < text.length && text.charCodeAt(at) > 0x20) at++
  }
  return at
}

/**
 * Reads the text of `/proc/net/tcp` and `tcp6` (proc_net_tcp(5)) once, from its beginning
 * to its end. Lines that are cut or are something else count for nothing.
 */
export const readConnectionTable = (text: string): ConnectionTable => {
  const table = new Map<string, Holder | null>()
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    // sl: local remote st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
    const local = text.indexOf(': ', start) + 2
    start = end + 1
    const remote = local === 1 ? 0 : text.indexOf(' ', local) + 1
    const state = remote === 0 ? -1 : text.indexOf(' ', remote)
    if (state === -1) break
    if (state > end || !text.startsWith(ESTABLISHED, state)) continue
    const uid = numberAt(text, behindFields(text, state + ESTABLISHED.length, 3))
    const inode = numberAt(text, numberAt(text, uid.end).end)
    if (inode.end > end) continue
    const key = text.slice(local, state)
    const holder = { uid: uid.value, inode: inode.value }
    const known = table.get(key)
    // While the kernel's table changes a line may be read twice.
    const isSame = known?.uid === holder.uid && known.inode === holder.inode
    table.set(key, known === undefined || isSame ? holder : null)
  }
  return table
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
const holderOf = (
  table: ConnectionTable,
  keyOf: (more: readonly number[]) => string,
  isFour: boolean,
): Holder | null => {
  // A socket of IPv6 may hold an end of IPv4.
  const keys = isFour ? [keyOf([]), keyOf(MAPPED)] : [keyOf([])]
  const found = keys.map((key) => table.get(key)).filter((holder) => holder !== undefined)
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
  const theirs = holderOf(table, (more) => `${clientEnd(more)} ${serverEnd(more)}`, isFour)
  const ours = holderOf(table, (more) => `${serverEnd(more)} ${clientEnd(more)}`, isFour)
  if (theirs === null || ours === null || ours.inode <= 0 || theirs.inode <= 0) return null
  return theirs.uid <= 0 || theirs.uid === OVERFLOW_UID ? null : theirs.uid
}
