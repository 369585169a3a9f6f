import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { createClient } from '@redis/client'
import { MARKS_KEY } from '#edge-cache/index.ts'
import type { RedisAddress } from '#handlers/domain/config/redis-url.ts'
import { clientOptions } from './redis-connection.ts'

/** A server that accepts and says nothing is given up. */
const PROBE_MS = 2000

/** Whether others than owner and group may connect: write permission on the socket, passage on the way to it. */
const isOpenSocket = (path: string): boolean => {
  if ((statSync(path).mode & 0o002) === 0) return false
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    if ((statSync(directory).mode & 0o001) === 0) return false
    if (directory === dirname(directory)) return true
  }
}

/** Whether the server answers somebody who does not log in. */
const answersStrangers = async (address: RedisAddress): Promise<boolean> => {
  const anonymous = { ...address, username: null, password: null, database: 0 }
  const { socket, ...options } = clientOptions(anonymous, address.nodes[0])
  const client = createClient({ ...options, socket: { ...socket, reconnectStrategy: false } })
  client.on('error', () => undefined)
  const timer = setTimeout(() => {
    if (client.isOpen) client.destroy()
  }, PROBE_MS)
  try {
    await client.connect()
    await client.sendCommand(['HGET', MARKS_KEY, 'epoch'])
    return true
  } catch (error) {
    if (/NOAUTH|NOPERM|WRONGPASS/.test(String(error))) return false
    // Passed on to another node of the cluster: nobody asked who it was.
    if (/MOVED|ASK |CLUSTERDOWN/.test(String(error))) return true
    throw error
  } finally {
    clearTimeout(timer)
    if (client.isOpen) client.destroy()
  }
}

/**
 * Why the server must not be used; null when only we get in. A password in our
 * configuration protects nothing if the server asks nobody for one. Rejects when
 * the server cannot be reached.
 */
export const redisExposure = async (address: RedisAddress): Promise<string | null> => {
  if (address.socketPath !== null && !isOpenSocket(address.socketPath)) return null
  if (!(await answersStrangers(address))) return null
  return address.socketPath !== null
    ? `Every account on this host can open ${address.socketPath}, and Redis asks for no password. Set unixsocketperm 770 or requirepass in its configuration.`
    : 'Redis answers without a password, so every account on this host could change cached pages. Set requirepass in its configuration.'
}
