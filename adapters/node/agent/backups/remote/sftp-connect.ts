import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import type SftpClient from 'ssh2-sftp-client'
import type { ServerKey } from '#handlers/ports/host/backups/targets.ts'
import { checkHostReach, lookupWithin } from './target-reach.ts'
import type { Reach } from './target-reach.ts'

/** Where an SFTP server is. */
export interface SftpAddress {
  host: string
  port: number
  reach: Reach
  /** The connection is given up after so long, whatever comes meanwhile. Default: never. */
  endMs?: number
}

/** How an SFTP server is reached. */
export interface SftpAccess extends SftpAddress {
  username: string
  /** `SHA256:<base64>` of the server's key, as ssh-keygen shows it. */
  hostKey: string
  credentials: { password: string } | { privateKey: string }
  /** Directory on the server. */
  path: string
  /** See `S3Access`. */
  tellsAll?: boolean
}

const CONNECT_MS = 20_000
const OTHER_KEY = 'the server has another key than host_key says; it may be another server'

const isPinned = (key: Buffer, pinned: string): boolean => {
  const have = createHash('sha256').update(key).digest()
  const want = Buffer.from(pinned.replace(/^SHA256:/, ''), 'base64')
  return want.length === have.length && timingSafeEqual(want, have)
}

const newClient = async (name: string): Promise<SftpClient> => {
  // Not at the start of the agent, which sites wait for.
  const { default: Client } = await import('ssh2-sftp-client')
  return new Client(name, {
    error: () => undefined,
    end: () => undefined,
    close: () => undefined,
  })
}

const openSocket = async ({ host, port, reach, endMs }: SftpAddress): Promise<net.Socket> => {
  checkHostReach(host, reach)
  const sock = net.connect({ host, port, lookup: lookupWithin(reach) })
  const late = (): void => void sock.destroy(new Error('it did not answer in time'))
  sock.setTimeout(CONNECT_MS, late)
  if (endMs !== undefined) {
    const end = setTimeout(late, endMs)
    sock.on('close', () => clearTimeout(end))
  }
  await once(sock, 'connect')
  sock.on('error', () => undefined)
  return sock
}

/** A connection to the server of that key; rejects with the reason in words. */
export const connectSftp = async (name: string, access: SftpAccess): Promise<SftpClient> => {
  let why: string | null = null
  const client = await newClient(name)
  try {
    await client.connect({
      sock: await openSocket(access),
      username: access.username,
      ...access.credentials,
      readyTimeout: CONNECT_MS,
      hostVerifier: (key: Buffer) => {
        if (isPinned(key, access.hostKey)) return true
        why = OTHER_KEY
        return false
      },
    })
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw why === null ? error : new Error(why, { cause: error })
  }
}

/** The key that a server shows, as bytes; nobody logs in. */
const shownKey = async (address: SftpAddress): Promise<Buffer> => {
  const client = await newClient('host key')
  let found: Buffer | null = null
  try {
    await client.connect({
      sock: await openSocket(address),
      username: 'berth',
      readyTimeout: CONNECT_MS,
      hostVerifier: (key: Buffer) => {
        found = Buffer.from(key)
        return false
      },
    })
  } catch (error) {
    if (found === null) throw error
  } finally {
    await client.end().catch(() => undefined)
  }
  if (found === null) throw new Error('the server showed no key')
  return found
}

/** The type of a key: its blob begins with the length of it, then the type. */
export const typeOfKey = (key: Buffer): string => {
  const length = key.length > 4 ? Math.min(key.readUInt32BE(0), 64) : 0
  return key.toString('latin1', 4, 4 + length).replace(/[^a-z0-9@.-]/gi, '')
}

/** The key that a server shows; nobody logs in. */
export const readServerKey = async (address: SftpAddress): Promise<ServerKey> => {
  const key = await shownKey(address)
  const digest = createHash('sha256').update(key).digest('base64').replaceAll('=', '')
  return { type: typeOfKey(key), fingerprint: `SHA256:${digest}` }
}

/** The key that a server shows where it has the fingerprint `pinned`; rejects with the reason in words. */
export const readPinnedKey = async (address: SftpAddress, pinned: string): Promise<Buffer> => {
  const key = await shownKey(address)
  if (isPinned(key, pinned)) return key
  throw new Error(OTHER_KEY)
}
