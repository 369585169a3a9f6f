import { connect, performServerHandshake, type ServerHttp2Session } from 'node:http2'
import { Duplex } from 'node:stream'

/** Two ends of one line, in memory. */
export const duplexPair = (): [Duplex, Duplex] => {
  const ends: Duplex[] = []
  const make = (other: () => Duplex | undefined): Duplex =>
    new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        setImmediate(() => {
          other()?.push(chunk)
          done()
        })
      },
      final: (done) => {
        other()?.push(null)
        done()
      },
    })
  ends.push(
    make(() => ends[1]),
    make(() => ends[0]),
  )
  const [one, other] = ends as [Duplex, Duplex]
  for (const end of ends) end.on('error', () => undefined)
  return [one, other]
}

/** What Node's client sends for these requests, as it goes over the line. */
export const sentByNode = async (requests: readonly string[][]): Promise<Buffer> => {
  const [near, far] = duplexPair()
  const parts: Buffer[] = []
  const write = near._write.bind(near)
  near._write = (chunk: Buffer, encoding, done) => {
    parts.push(Buffer.from(chunk))
    write(chunk, encoding, done)
  }
  const server = performServerHandshake(far, { settings: { maxHeaderListSize: 100_000 } })
  server.on('error', () => undefined)
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200 }, { endStream: true })
  })
  const client = connect('https://a.test', { createConnection: () => near })
  client.on('error', () => undefined)
  for (const fields of requests) {
    const stream = client.request(fields)
    stream.on('error', () => undefined)
    stream.resume()
    await new Promise((resolve) => stream.once('close', resolve))
  }
  client.destroy()
  server.destroy()
  return Buffer.concat(parts)
}

/** What Node's session makes of a connection's bytes: the list of the first request, or null when it refuses it. */
export const heardByNode = async (bytes: Buffer): Promise<string[] | null> => {
  const [near, far] = duplexPair()
  near.resume()
  const session: ServerHttp2Session = performServerHandshake(far)
  const heard = new Promise<string[] | null>((resolve) => {
    session.on('stream', (stream, _headers, _flags, raw: string[]) => {
      stream.on('error', () => undefined)
      resolve(raw)
    })
    session.on('error', () => resolve(null))
    // The answer to it comes after all that came before.
    session.on('ping', () => setImmediate(() => resolve(null)))
  })
  near.write(bytes)
  const result = await heard
  session.destroy()
  near.destroy()
  return result
}
