import { chmodSync, rmdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { readSessionMessage, type SessionMessage } from './read-message.ts'

/** Hears what sessions in a jail say they do, each where syslog(3) looks: what `/dev/log` of its own root is. */
export interface SessionLogs {
  /** At `log` in that directory. Once is enough. */
  listen(username: string, directory: string): Promise<void>
  /** What it made there is gone then. */
  end(username: string): void
  endAll(): void
}

/** Who said something, where it waits to be answered. */
export interface Caller {
  /** It may wait for longer than others do; `gone`: it does no more, whoever ended it. */
  hold(gone: () => void): void
  write(text: string): void
  /** What it has not taken yet. */
  behindBytes(): number
  end(): void
}

/** Hears what a session says, and may answer. */
type Tell = (message: SessionMessage, caller: Caller) => void

const MOST_BYTES = 16_384
const MOST_CONNECTIONS = 64
const IDLE_MS = 10_000

/** glibc tries a datagram socket first, which Node has none of, then a stream; each entry ends with a zero byte. */
const createListener = (tell: Tell): Server => {
  const server = createServer((connection) => {
    let rest = ''
    connection.setEncoding('utf8')
    connection.setTimeout(IDLE_MS, () => connection.destroy())
    connection.on('error', () => connection.destroy())
    const caller: Caller = {
      hold(gone) {
        connection.setTimeout(0)
        connection.once('close', gone)
      },
      write(text) {
        if (connection.writable) connection.write(text)
      },
      behindBytes: () => connection.writableLength,
      end: () => void connection.end(),
    }
    connection.on('data', (chunk: string) => {
      const entries = `${rest}${chunk}`.split('\0')
      rest = entries.pop() ?? ''
      if (rest.length > MOST_BYTES) connection.destroy()
      for (const entry of entries) {
        const message = readSessionMessage(entry)
        if (message !== null) tell(message, caller)
      }
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  return server
}

export const createSessionLogs = (
  tell: (username: string, ...said: Parameters<Tell>) => void,
): SessionLogs => {
  const open = new Map<string, { server: Server; directory: string }>()
  const end = (username: string): void => {
    const one = open.get(username)
    if (one === undefined) return
    open.delete(username)
    // It removes the socket.
    one.server.close()
    try {
      rmdirSync(one.directory)
    } catch {
      // Gone with the place it was in.
    }
  }
  return {
    async listen(username, directory) {
      if (open.has(username)) return
      await mkdir(directory, { recursive: true, mode: 0o755 })
      chmodSync(directory, 0o755)
      const server = createListener((...said) => tell(username, ...said))
      const path = join(directory, 'log')
      server.listen(path)
      await once(server, 'listening')
      server.on('error', () => end(username))
      server.unref()
      // Nobody else comes into the jail.
      chmodSync(path, 0o666)
      open.set(username, { server, directory })
    },
    end,
    endAll: () => [...open.keys()].forEach(end),
  }
}
