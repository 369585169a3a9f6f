import { RawClient, splitResponses, type RawResponse } from './raw-client.ts'

/** One GET on a connection of its own; the body is the text as it came. */
export const get = async (
  port: number,
  host: string,
  path = '/',
  fields = '',
): Promise<RawResponse> => {
  const client = new RawClient(port)
  client.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${fields}\r\n`)
  await client.closed
  client.destroy()
  const [answer] = splitResponses(client.text)
  if (answer === undefined) throw new Error(`${host}${path}: the connection broke`)
  return answer
}

/** A kept connection that asks one thing after the other. */
export class KeptConnection {
  readonly client: RawClient
  readonly #host: string

  constructor(port: number, host: string) {
    this.client = new RawClient(port)
    this.#host = host
  }

  connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.client.socket.once('connect', () => resolve())
      this.client.socket.once('error', reject)
    })
  }

  /** Rejects when no whole answer comes. */
  async get(path = '/', fields = ''): Promise<RawResponse> {
    this.client.text = ''
    this.client.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${fields}\r\n`)
    const whole = (text: string): boolean => {
      if (!text.includes('\r\n\r\n')) return false
      return splitResponses(text)[0]?.complete === true
    }
    await this.client.until(whole)
    const [answer] = splitResponses(this.client.text)
    if (answer?.complete !== true) throw new Error(`${this.#host}${path}: the connection broke`)
    return answer
  }

  close(): void {
    this.client.destroy()
  }
}
