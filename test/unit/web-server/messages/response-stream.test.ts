import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { responseStream } from '#adapters/node/web-server/proxy/response-stream.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** The pieces of the body of an answer that is written at once. */
const piecesOf = async (answer: string): Promise<string[]> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const asked = get({ host: '127.0.0.1', port, agent: false })
    const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
    let done = 0
    let ended = 0
    const stream = responseStream(
      incoming,
      10_000,
      () => done++,
      () => ended++,
    )
    const pieces: string[] = []
    for await (const piece of stream) pieces.push(new TextDecoder().decode(piece))
    expect([done, ended]).toEqual([1, 1])
    return pieces
  } finally {
    server.close()
  }
}

describe('the body of an application', () => {
  it('that comes in tiny chunks is passed on in few pieces', async () => {
    const text = 'abcdefghij'.repeat(4000)
    const chunks = [...text].map((letter) => `1\r\n${letter}\r\n`).join('')
    const pieces = await piecesOf(`${HEAD}${chunks}0\r\n\r\n`)
    expect(pieces.join('')).toBe(text)
    expect(pieces.length).toBeLessThan(400)
  })

  it('of usual chunks is the same', async () => {
    const text = 'abcdefghij'.repeat(1000)
    const chunk = `${text.length.toString(16)}\r\n${text}\r\n`
    const pieces = await piecesOf(`${HEAD}${chunk.repeat(30)}0\r\n\r\n`)
    expect(pieces.join('')).toBe(text.repeat(30))
  })
})
