import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'

export interface H2Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** What the stream was reset with; 0: it ended as it should. */
  code: number
}

/** TLS connection that agreed on HTTP/2. */
export const connectH2Socket = (
  port: number,
  servername: string,
  options: ConnectionOptions = {},
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      ...(servername === '' ? {} : { servername }),
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
      ...options,
    })
    socket.once('error', reject)
    socket.once('secureConnect', () => resolve(socket))
  })

/** One HTTP/2 connection of Node's own client. */
export class H2Client {
  readonly session: ClientHttp2Session
  readonly socket: TLSSocket
  readonly #host: string
  goneAway = false
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>

  constructor(socket: TLSSocket, host: string) {
    this.socket = socket
    this.#host = host
    this.session = connect(`https://${host || 'nobody.test'}`, { createConnection: () => socket })
    this.session.on('error', () => undefined)
    this.session.on('goaway', () => (this.goneAway = true))
    this.closed = new Promise((resolve) => this.session.once('close', () => resolve()))
  }

  static async open(
    port: number,
    host: string,
    options: ConnectionOptions = {},
  ): Promise<H2Client> {
    return new H2Client(await connectH2Socket(port, host, options), host)
  }

  /** Begins a request; `fields` may replace the pseudo-header fields. */
  begin(path: string, fields: OutgoingHttpHeaders = {}, endStream = true): ClientHttp2Stream {
    const stream = this.session.request(
      { ':path': path, ':authority': this.#host, ':scheme': 'https', ...fields },
      { endStream },
    )
    stream.on('error', () => undefined)
    return stream
  }

  get(path = '/', fields: OutgoingHttpHeaders = {}): Promise<H2Answer> {
    return answerOf(this.begin(path, fields))
  }

  send(path: string, body: string | Buffer, fields: OutgoingHttpHeaders = {}): Promise<H2Answer> {
    const stream = this.begin(path, { ':method': 'POST', ...fields }, false)
    const answer = answerOf(stream)
    stream.end(body)
    return answer
  }

  close(): void {
    this.session.destroy()
    this.socket.destroy()
  }
}

/** The whole answer; status 0 when none came. */
export const answerOf = (stream: ClientHttp2Stream): Promise<H2Answer> =>
  new Promise((resolve) => {
    const answer: H2Answer = { status: 0, headers: {}, body: '', code: 0 }
    stream.on('response', ({ ':status': status, ...headers }) => {
      answer.status = status ?? 0
      answer.headers = headers
    })
    stream.on('data', (chunk: Buffer) => (answer.body += chunk.toString('latin1')))
    stream.on('close', () => resolve({ ...answer, code: stream.rstCode ?? 0 }))
  })
