import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** One answer as it stood on the wire. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** Whether the body came whole. */
  complete: boolean
}

const readHead = (text: string): { status: number; headers: Record<string, string> } => {
  const [line = '', ...fields] = text.split('\r\n')
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return { status: Number(line.split(' ')[1]), headers }
}

const readChunked = (text: string): { body: string; used: number; complete: boolean } => {
  let body = ''
  let at = 0
  for (;;) {
    const end = text.indexOf('\r\n', at)
    if (end === -1) return { body, used: text.length, complete: false }
    const size = Number.parseInt(text.slice(at, end), 16)
    if (size === 0) return { body, used: end + 4, complete: text.length >= end + 4 }
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
    if (at > text.length) return { body, used: text.length, complete: false }
  }
}

/** Splits what a server sent into answers; `methods` tells which were to HEAD. */
export const splitResponses = (text: string, methods: readonly string[] = []): RawResponse[] => {
  const answers: RawResponse[] = []
  let rest = text
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`not an answer: ${JSON.stringify(rest.slice(0, 200))}`)
    const { status, headers } = readHead(rest.slice(0, end))
    rest = rest.slice(end + 4)
    const bodyless = status < 200 || status === 204 || status === 304
    if (bodyless || methods[answers.length] === 'HEAD') {
      answers.push({ status, headers, body: '', complete: true })
      continue
    }
    if (headers['transfer-encoding'] === 'chunked') {
      const { body, used, complete } = readChunked(rest)
      answers.push({ status, headers, body, complete })
      rest = rest.slice(used)
      continue
    }
    const length = headers['content-length']
    const size = length === undefined ? rest.length : Number(length)
    const body = rest.slice(0, size)
    answers.push({ status, headers, body, complete: body.length === size })
    rest = rest.slice(size)
  }
  return answers
}

/** A connection that collects what it gets, as latin1. */
export class RawClient {
  readonly socket: Socket
  text = ''
  /** Resolves when the server has closed its side or broken the connection. */
  readonly closed: Promise<void>
  #waiting: { test: () => boolean; resolve: () => void }[] = []

  constructor(
    port: number,
    options: {
      paused?: boolean
      /** Default 127.0.0.1; the whole of 127.0.0.0/8 is ours. */
      from?: string
      /** Over TLS with this name in the handshake; the certificate is not verified. */
      servername?: string
    } = {},
  ) {
    const where = {
      port,
      host: '127.0.0.1',
      allowHalfOpen: true,
      localAddress: options.from ?? '127.0.0.1',
    }
    this.socket =
      options.servername === undefined
        ? connect(where)
        : connectTls({ ...where, servername: options.servername, rejectUnauthorized: false })
    this.socket.on('error', () => undefined)
    if (options.paused !== true) {
      this.socket.on('data', (chunk: Buffer) => {
        this.text += chunk.toString('latin1')
        this.#waiting = this.#waiting.filter(({ test, resolve }) => {
          if (!test()) return true
          resolve()
          return false
        })
      })
    }
    this.closed = new Promise((resolve) => {
      this.socket.on('end', () => {
        this.socket.end()
        resolve()
      })
      this.socket.on('close', () => resolve())
    })
  }

  write(text: string | Buffer): void {
    if (typeof text === 'string') this.socket.write(text, 'latin1')
    else this.socket.write(text)
  }

  /** Resolves when `test` holds for what was received, or the connection ended. */
  until(test: (text: string) => boolean): Promise<void> {
    if (test(this.text)) return Promise.resolve()
    const met = new Promise<void>((resolve) => {
      this.#waiting.push({ test: () => test(this.text), resolve })
    })
    return Promise.race([met, this.closed])
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** Sends bytes, closes the sending side, and answers everything that came back. */
export const exchange = async (
  port: number,
  bytes: string | Buffer,
  options: { halfClose?: boolean; servername?: string } = {},
): Promise<string> => {
  const { servername } = options
  const client = new RawClient(port, servername === undefined ? {} : { servername })
  client.write(bytes)
  if (options.halfClose !== false) client.socket.end()
  await client.closed
  client.destroy()
  return client.text
}
