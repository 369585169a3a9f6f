import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import type { Duplex } from 'node:stream'
import { startWeb, type WebProcess } from '../../web-server/support/web-process.ts'

export type App = (message: IncomingMessage, out: ServerResponse) => void

/** A real Node application; what it does can be changed while it runs. */
export interface RunningApp {
  port: number
  server: Server
  /** Its connections that are open. */
  sockets: Set<Duplex>
  /** How many connections it has accepted. */
  accepted(): number
  answer(app: App): void
  close(): Promise<void>
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )

const closeWith = (server: Server, sockets: Set<Duplex>) => (): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })

const follow = (server: Server): { sockets: Set<Duplex>; accepted: () => number } => {
  const sockets = new Set<Duplex>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  return { sockets, accepted: () => accepted }
}

export const startApp = async (first: App = (_, out) => out.end('app')): Promise<RunningApp> => {
  let app = first
  const server = createServer({ maxHeaderSize: 65_536, requestTimeout: 0 }, (message, out) =>
    app(message, out),
  )
  const followed = follow(server)
  return {
    port: await listen(server),
    server,
    ...followed,
    answer: (next) => (app = next),
    close: closeWith(server, followed.sockets),
  }
}

/** Something that is no HTTP server: `serve` has the bare connection. */
export const startRawApp = async (
  serve: (socket: Socket) => void,
): Promise<Omit<RunningApp, 'answer'>> => {
  const server = createRawServer({ allowHalfOpen: true }, serve)
  const followed = follow(server)
  return {
    port: await listen(server),
    server,
    ...followed,
    close: closeWith(server, followed.sockets),
  }
}

/** A virtual host that passes requests on. `rule`: further lines of `[virtualhost.proxy]`. */
export const proxyToml = (domain: string, port: number, rule = '', more = ''): string => `
[[virtualhost]]
domain = "${domain}"
${more}
[virtualhost.proxy]
upstream = "http://127.0.0.1:${port}"
${rule}
`

/** Writes a file of virtual hosts and has it served. */
export const serveHosts = async (web: WebProcess, name: string, toml: string): Promise<void> => {
  web.writeHosts(name, toml)
  const { status, body } = await web.control('POST', '/reload')
  if (status !== 200) throw new Error(JSON.stringify(body))
}

export const startProxied = async (
  app: { port: number },
  options: { rule?: string; more?: string; cache?: string; workers?: number } = {},
): Promise<WebProcess> => {
  const web = await startWeb({
    workers: options.workers ?? 1,
    ...(options.cache === undefined ? {} : { cache: options.cache }),
  })
  try {
    await serveHosts(web, 'p', proxyToml('p.test', app.port, options.rule, options.more))
  } catch (error) {
    await web.remove()
    throw error
  }
  return web
}

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: Buffer
  text: string
}

/** One request at `p.test` on a connection of its own. Rejects when the answer breaks off. */
export const ask = (
  port: number,
  path: string,
  options: {
    method?: string
    host?: string
    headers?: Record<string, string | string[]>
    body?: string | Buffer
  } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: options.method ?? 'GET',
        headers: { host: options.host ?? 'p.test', ...options.headers },
        agent: false,
      },
      (message) => {
        const parts: Buffer[] = []
        message.on('data', (part: Buffer) => parts.push(part))
        message.on('error', reject)
        message.on('end', () => {
          const body = Buffer.concat(parts)
          resolve({
            status: message.statusCode ?? 0,
            headers: message.headers,
            rawHeaders: message.rawHeaders,
            body,
            text: body.toString(),
          })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(options.body)
  })
