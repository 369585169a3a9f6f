type Envelope =
  | { kind: 'tell'; body: unknown }
  | { kind: 'ask'; id: number; body: unknown }
  | { kind: 'reply'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; message: string }

/** The end of an IPC channel, as `process` and `ChildProcess` have it. */
export interface ChannelPort {
  readonly connected: boolean
  send?(message: unknown, callback: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
}

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === 'object' && value !== null && 'kind' in value

/**
 * Questions and notices over an IPC channel between the primary and a worker,
 * in order. Both ends are our own code of the same version, so bodies are typed,
 * not checked. `handle` answers what the other end asks (its result is ignored
 * for notices). When the channel breaks, open questions are rejected.
 */
export class ProcessChannel<Out, In> {
  readonly #port: ChannelPort
  readonly #open = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >()
  #nextId = 1
  #closed = false

  constructor(port: ChannelPort, handle: (body: In) => unknown) {
    this.#port = port
    port.on('message', (message) => {
      if (!isEnvelope(message)) return
      if (message.kind === 'reply') this.#take(message.id)?.resolve(message.value)
      else if (message.kind === 'refusal')
        this.#take(message.id)?.reject(new Error(message.message))
      else void this.#answer(message, handle)
    })
  }

  /** Sends a notice. Lost when the other end is gone, which its owner hears elsewhere. */
  tell(body: Out): void {
    this.#send({ kind: 'tell', body })
  }

  /** Asks and waits for the answer, however long it takes. */
  ask(body: Out): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('The process at the other end is gone.'))
      const id = this.#nextId++
      this.#open.set(id, { resolve, reject })
      this.#send({ kind: 'ask', id, body })
    })
  }

  /** Rejects what is open; for the owner, once the other end is gone. */
  close(): void {
    this.#closed = true
    for (const { reject } of this.#open.values()) {
      reject(new Error('The process at the other end is gone.'))
    }
    this.#open.clear()
  }

  #take(
    id: number,
  ): { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined {
    const found = this.#open.get(id)
    this.#open.delete(id)
    return found
  }

  async #answer(
    message: Envelope & { kind: 'ask' | 'tell' },
    handle: (body: In) => unknown,
  ): Promise<void> {
    try {
      const value = await handle(message.body as In)
      if (message.kind === 'ask') this.#send({ kind: 'reply', id: message.id, value })
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      if (message.kind === 'ask') this.#send({ kind: 'refusal', id: message.id, message: text })
    }
  }

  #send(envelope: Envelope): void {
    if (!this.#port.connected || this.#port.send === undefined) return
    this.#port.send(envelope, (error) => {
      if (error !== null && envelope.kind === 'ask') this.#take(envelope.id)?.reject(error)
    })
  }
}
