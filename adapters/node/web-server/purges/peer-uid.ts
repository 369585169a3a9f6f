import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { findPeerUid, readConnectionTable, type PeerConnection } from './connection-table.ts'

/** A reading takes longer the more connections there are on the machine, whoever asks. */
const BETWEEN_READINGS_MS = 30

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

/**
 * Calls share readings: each result was read after its call, and no reading begins
 * before the one ahead has ended and `pause`, begun with it, is over.
 */
const sharing = <T>(read: () => Promise<T>, pause: () => Promise<unknown>): (() => Promise<T>) => {
  let isBusy = false
  let next: PromiseWithResolvers<T> | null = null
  const begin = (): Promise<T> => {
    isBusy = true
    const reading = read()
    void Promise.allSettled([reading, pause()]).then(() => {
      isBusy = false
      const waiting = next
      next = null
      waiting?.resolve(begin())
    })
    return reading
  }
  return () => {
    if (!isBusy) return begin()
    next ??= Promise.withResolvers()
    return next.promise
  }
}

/**
 * Finds out whose process on this machine holds the other end of a connection; null
 * when nobody's, which is what other machines and other network namespaces are.
 * The tables are read only for addresses of this machine, and one reading, at most every
 * 30 ms, is for all who asked before it began. It resolves when the server has been told
 * of all that were reset until then: of such a connection the response says nothing, as
 * another may have its port.
 */
export const createPeerUid = (
  read: () => Promise<string> = readTables,
  pause: () => Promise<unknown> = () => wait(BETWEEN_READINGS_MS, undefined, { ref: false }),
): ((connection: PeerConnection) => Promise<number | null>) => {
  const tables = sharing(async () => {
    const table = readConnectionTable(await read())
    // A reset is heard of in one turn, and the socket closed at its end.
    await turn()
    await turn()
    return table
  }, pause)
  return async (connection) =>
    isLocal(connection.clientAddress) ? findPeerUid(await tables(), connection) : null
}
