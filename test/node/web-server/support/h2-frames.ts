import type { TLSSocket } from 'node:tls'
import { connectH2Socket } from './h2-client.ts'

/** Frame types (RFC 9113 6). */
export const DATA = 0
export const HEADERS = 1
export const RST_STREAM = 3
export const SETTINGS = 4
export const PING = 6
export const GOAWAY = 7
export const CONTINUATION = 9
export const END_STREAM = 1
export const END_HEADERS = 4

export interface Frame {
  type: number
  flags: number
  stream: number
  payload: Buffer
}

export type Field = readonly [name: string, value: string]

export const frame = (type: number, flags: number, stream: number, payload: Uint8Array): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** HPACK integer with a prefix of 7 bits (RFC 7541 5.1). */
const length = (value: number): number[] => {
  if (value < 127) return [value]
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

/** Literal fields without indexing and without Huffman code, whatever they hold. */
export const fields = (list: readonly Field[]): Buffer =>
  Buffer.concat(
    list.map(([name, value]) => {
      const [first, second] = [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')]
      return Buffer.concat([
        Buffer.from([0, ...length(first.length)]),
        first,
        Buffer.from(length(second.length)),
        second,
      ])
    }),
  )

/** The pseudo-header fields of a GET. */
export const pseudo = (host: string, path = '/', method = 'GET'): Field[] => [
  [':method', method],
  [':scheme', 'https'],
  [':authority', host],
  [':path', path],
]

const OPENING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(SETTINGS, 0, 0, Buffer.alloc(0)),
])

/** A client that sends whatever frames it is told to. */
export class FrameClient {
  readonly socket: TLSSocket
  readonly frames: Frame[] = []
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
  isClosed = false
  #rest = Buffer.alloc(0)

  /** `opening`: what stands in place of preface and SETTINGS. */
  constructor(socket: TLSSocket, opening: Buffer = OPENING) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    // A server that ends its side is answered in kind.
    socket.on('end', () => socket.end())
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.isClosed = true
        resolve()
      }),
    )
    socket.write(opening)
  }

  static async open(port: number, host: string): Promise<FrameClient> {
    return new FrameClient(await connectH2Socket(port, host))
  }

  send(...frames: Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames))
  }

  /** Resolves with the first frame that fits, undefined when the connection ended without one. */
  async until(test: (one: Frame) => boolean): Promise<Frame | undefined> {
    for (;;) {
      const found = this.frames.find(test)
      if (found !== undefined || this.isClosed) return found
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.socket.off('data', done)
          this.socket.off('close', done)
          resolve()
        }
        this.socket.on('data', done)
        this.socket.on('close', done)
      })
    }
  }

  /** How a stream ended: its reset code, `ended`, or `closed` when the connection went first. */
  async end(stream: number): Promise<number | 'ended' | 'closed'> {
    const last = await this.until(
      (one) =>
        one.stream === stream &&
        (one.type === RST_STREAM || (one.type <= HEADERS && (one.flags & END_STREAM) !== 0)),
    )
    if (last === undefined) return 'closed'
    return last.type === RST_STREAM ? last.payload.readUInt32BE(0) : 'ended'
  }

  /** Body of a stream. */
  body(stream: number): string {
    return Buffer.concat(
      this.frames
        .filter((one) => one.type === DATA && one.stream === stream)
        .map((one) => one.payload),
    ).toString('latin1')
  }

  /** Code of the GOAWAY that came; null when none did. */
  get goaway(): number | null {
    return this.frames.findLast((one) => one.type === GOAWAY)?.payload.readUInt32BE(4) ?? null
  }

  close(): void {
    this.socket.destroy()
  }

  #take(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#rest, chunk])
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const size = bytes.readUIntBE(0, 3)
      const [type, flags] = [bytes.readUInt8(3), bytes.readUInt8(4)]
      const stream = bytes.readUInt32BE(5) & 0x7fffffff
      this.frames.push({ type, flags, stream, payload: bytes.subarray(9, 9 + size) })
      bytes = bytes.subarray(9 + size)
    }
    this.#rest = bytes
  }
}
