import { createServer } from 'node:net'
import { createChildSlots } from './child-slots.ts'
import type { LauncherSettings } from './launcher-settings.ts'
import { serveConnection } from './serve-connection.ts'

/** The listening socket that the agent lends. */
const LISTEN_FD = 3
const LOOK_MS = 100

/**
 * Answers FastCGI on the inherited socket, each request by a php-cgi process.
 * This process runs as the account, which can do with it what it likes: it
 * holds nothing that is not the account's own. `stop` lets running requests end.
 */
export const serveCgi = (settings: LauncherSettings): { stop(): Promise<void> } => {
  const slots = createChildSlots(settings.maxChildren)
  const connections = new Set<ReturnType<typeof serveConnection>>()
  const server = createServer((socket) => {
    const connection = serveConnection(socket, settings, slots)
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
  })
  server.listen({ fd: LISTEN_FD })
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        const closeIdle = (): void => {
          for (const connection of connections) if (!connection.busy) connection.close()
        }
        setInterval(closeIdle, LOOK_MS)
        closeIdle()
      }),
  }
}
