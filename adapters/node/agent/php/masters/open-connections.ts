import { readFileSync } from 'node:fs'
import { boundPath } from './listening-socket.ts'

/** State of a connected socket in `/proc/net/unix`. */
const CONNECTED = '03'

/**
 * Whether anybody is connected to (or waits in the queue of) our listening
 * socket at `path`: a request may run longer than the idle time. The kernel
 * shows each connection under the name that the listener was bound to.
 */
export const hasConnections = (path: string): boolean => {
  const name = boundPath(path)
  return readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .some((line) => line.endsWith(` ${name}`) && line.split(/\s+/)[5] === CONNECTED)
}
