import type { NetConnectOpts } from 'node:net'
import { readTcpSocket } from '#handlers/domain/config/site/php-socket.ts'

/** Where PHP listens, for `net.connect`: the path of a socket, or a port as `tcp://host:port`. */
export const backendAddress = (socket: string): NetConnectOpts => {
  const port = readTcpSocket(socket)
  // A request is written in pieces; none of them may wait for the other side to say it has the last one.
  return port === null ? { path: socket } : { ...port, noDelay: true }
}
