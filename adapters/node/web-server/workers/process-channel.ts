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

/** What was said in one turn of the event loop goes as one message. */
const isBatch = (value: unknown): value is readonly Envelope[] => Array.isArray(value)

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
  #outgoing: Envelope[] = []

  constructor(port: ChannelPort, handle: (body: In) => unknown) {
    this.#port = port
    port.on('message', (message) => {
      if (!isBatch(message)) return
      for (const envelope of message) this.#receive(envelope, handle)
    })
  }

  /** Sends a notice. Lost when the other end is gone, which its owner hears elsewhere. */
  tell(body: Out): void {
    this.#send({ kind: 'tell', body })
  }

  /** Asks and waits for the response, however long it takes. */
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

  #receive(envelope: Envelope, handle: (body: In) => unknown): void {
    if (envelope.kind === 'reply') this.#take(envelope.id)?.resolve(envelope.value)
    else if (envelope.kind === 'refusal')
      this.#take(envelope.id)?.reject(new Error(envelope.message))
    else void this.#answer(envelope, handle)
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

  /** Each message costs two system calls and wakes the other end: fills alone say several a page. */
  #send(envelope: Envelope): void {
    this.#outgoing.push(envelope)
    if (this.#outgoing.length === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const batch = this.#outgoing
    this.#outgoing = []
    if (!this.#port.connected || this.#port.send === undefined) return
    this.#port.send(batch, (error) => {
      if (error === null) return
      for (const envelope of batch)
        if (envelope.kind === 'ask') this.#take(envelope.id)?.reject(error)
    })
  }
}
