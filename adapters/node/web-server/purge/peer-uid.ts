import { readFile } from 'node:fs/promises'
import { endianness, networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** The two ends of a TCP connection, seen from the server. */
export interface PeerConnection {
  clientAddress: string
  clientPort: number
  serverAddress: string
  serverPort: number
}

/** Uid that stands for users of another namespace (user_namespaces(7)): it names nobody. */
const OVERFLOW_UID = 65_534
/** TCP_ESTABLISHED in the kernel's tables. */
const ESTABLISHED = '01'

/** Bytes of an address; null for text that is none, such as one with a zone. */
const bytesOf = (address: string): number[] | null =>
  ipaddr.isValid(address) && !address.includes('%') ? ipaddr.parse(address).toByteArray() : null

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

/** What the line of the client's end of the connection begins with, in each table. */
const linesOf = (connection: PeerConnection): string[] => {
  const client = bytesOf(connection.clientAddress)
  const server = bytesOf(connection.serverAddress)
  if (client === null || server === null || client.length !== server.length) return []
  const ends = (more: readonly number[]): string =>
    `${hexOf([...more, ...client])}:${portOf(connection.clientPort)} ` +
    `${hexOf([...more, ...server])}:${portOf(connection.serverPort)} ${ESTABLISHED} `
  // A socket of IPv6 may hold an end of IPv4.
  return client.length === 4 ? [ends([]), ends(MAPPED)] : [ends([])]
}

/**
 * Uid of the client's end of a connection in the text of `/proc/net/tcp` and `tcp6`
 * (proc_net_tcp(5)); null when it is not there. Only a line that is established and has
 * an inode counts: a closed socket shows uid 0, which is why root never counts either.
 */
export const findPeerUid = (tables: string, connection: PeerConnection): number | null => {
  let found: number | null = null
  for (const line of linesOf(connection)) {
    for (let at = tables.indexOf(line); at !== -1; at = tables.indexOf(line, at + 1)) {
      const end = tables.indexOf('\n', at)
      const rest = tables.slice(at + line.length, end === -1 ? undefined : end)
      // tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
      const [, , , uidText = '', , inode = '0'] = rest.trim().split(/\s+/)
      const uid = /^\d+$/.test(uidText) ? Number(uidText) : 0
      if (uid === 0 || uid === OVERFLOW_UID || !/^[1-9]\d*$/.test(inode)) return null
      // Two ends with the same addresses cannot be told apart.
      if (found !== null && found !== uid) return null
      found = uid
    }
  }
  return found
}

const isLocal = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  if (ipaddr.parse(address).range() === 'loopback') return true
  return Object.values(networkInterfaces()).some((all) =>
    all?.some((one) => one.address === address),
  )
}

const readTables = async (): Promise<string> => {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  )
  return tables.join('\n')
}

/** Calls that come while one is under way share the next: each result was read after its call. */
const sharing = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | null = null
  let next: Promise<T> | null = null
  const start = (): Promise<T> => {
    next = null
    const own = read().finally(() => {
      if (running === own) running = null
    })
    running = own
    return own
  }
  return () => {
    if (running === null) return start()
    return (next ??= running.then(start, start))
  }
}

/**
 * Finds out whose process on this machine holds the other end of a connection; null
 * when nobody's, which is what other machines and other network namespaces are.
 * The tables are read only for addresses of this machine, and one reading at a time.
 */
export const createPeerUid = (
  read: () => Promise<string> = readTables,
): ((connection: PeerConnection) => Promise<number | null>) => {
  const tables = sharing(read)
  return async (connection) =>
    isLocal(connection.clientAddress) ? findPeerUid(await tables(), connection) : null
}
