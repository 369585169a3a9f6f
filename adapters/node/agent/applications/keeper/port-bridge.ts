import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { isOwnPort } from './listeners.ts'

/** A number that nobody listens on at 127.0.0.1. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

/**
 * Passes connections at the unix socket `path` on to a port of this machine, for applications
 * that can listen nowhere else. Whose port it is, is looked at for each of them.
 */
export const bridgePort = (path: string, port: number): Promise<Server> => {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (visitor) => {
    visitor.on('error', () => visitor.destroy())
    if (!isOwnPort(port)) {
      visitor.destroy()
      return
    }
    const application = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
    application.on('error', () => visitor.destroy())
    application.on('close', () => visitor.destroy())
    visitor.on('close', () => application.destroy())
    visitor.pipe(application)
    application.pipe(visitor)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}
