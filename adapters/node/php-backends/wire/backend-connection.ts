import type { Socket } from 'node:net'
import { ProtocolError } from '../fastcgi/records.ts'
import { backendAddress } from './backend-address.ts'
import type { EndRequest } from '../fastcgi/records.ts'

/** What one request hears of its connection. After `end` or `broken` nothing follows. */
export interface ConnectionEvents {
  /** Pieces of a CGI answer: head, empty line, body. */
  stdout(piece: Buffer<ArrayBuffer>): void
  stderr(piece: Buffer): void
  end(outcome: EndRequest): void
  /** All of what arrived at once has been told, and the request goes on. */
  told(): void
  /** The connection ended before the request did. */
  broken(error: Error): void
}

/** Rejects with the system's error (`code`). */
export const connectToBackend = (path: string, socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.connect(backendAddress(path))
  })

const closed = (): Error => new Error('PHP closed the connection')

/** A connection to PHP in whatever protocol: one request after another, never two at once. */
export abstract class BackendConnection {
  protected readonly socket: Socket
  #events: ConnectionEvents | null = null
  #served = 0
  #heard = false
  /** Called once when the connection is gone. */
  onClose: () => void = () => undefined

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('end', () => this.fail(closed()))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => {
      this.fail(closed())
      this.onClose()
    })
  }

  /** Requests ended on it before the present one. */
  get served(): number {
    return this.#served
  }

  /** Whether anything ever came over it: somebody has accepted it then. */
  get heard(): boolean {
    return this.#heard
  }

  get alive(): boolean {
    return !this.socket.destroyed && this.socket.readable && this.socket.writable
  }

  /** Whether another request may follow: the last one is over, on both sides, and nothing is left. */
  abstract get reusable(): boolean

  /** Writes the head of a request, as the protocol's encoder made it. */
  protected abstract sendHead(request: Buffer, hasBody: boolean): void

  /** Sends a piece of the body; resolves when more may follow, rejects when the connection is gone. */
  abstract writeBody(chunk: Uint8Array): Promise<void>

  abstract endBody(): void

  /** Takes what arrived apart; throws when it is not the protocol. */
  protected abstract decode(chunk: Buffer<ArrayBuffer>): void

  /** Starts a request; on a connection that has gone meanwhile it breaks. */
  begin(events: ConnectionEvents, request: Buffer, hasBody: boolean): void {
    this.#events = events
    if (this.alive) this.sendHead(request, hasBody)
    else queueMicrotask(() => this.fail(closed()))
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  destroy(): void {
    this.#events = null
    this.socket.destroy()
  }

  /** The request under way. */
  protected get events(): ConnectionEvents | null {
    return this.#events
  }

  /** The request is over. Throws `ProtocolError` when there was none. */
  protected finish(outcome: EndRequest): void {
    const events = this.#events
    if (events === null) throw new ProtocolError('PHP ended what had not begun')
    this.#events = null
    this.#served += 1
    events.end(outcome)
  }

  protected fail(error: Error): void {
    const events = this.#events
    this.#events = null
    this.socket.destroy()
    events?.broken(error)
  }

  /** Resolves when what was written has left, rejects when the connection is gone. */
  protected drained(): Promise<void> {
    const { socket } = this
    return new Promise((resolve, reject) => {
      const settle = (gone: boolean): void => {
        socket.off('drain', onDrain)
        socket.off('close', onGone)
        if (gone) reject(closed())
        else resolve()
      }
      const onDrain = (): void => settle(false)
      const onGone = (): void => settle(true)
      if (socket.destroyed) return onGone()
      socket.on('drain', onDrain)
      socket.on('close', onGone)
    })
  }

  /** Takes what arrived. */
  protected receive(chunk: Buffer<ArrayBuffer>): void {
    this.#heard = true
    try {
      this.decode(chunk)
      this.#events?.told()
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
