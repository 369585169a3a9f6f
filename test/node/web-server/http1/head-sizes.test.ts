import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RawClient, splitResponses } from '../support/raw-client.ts'
import { startEngine, type EngineServer } from '../support/engine-server.ts'

const MAX = 4096

let server: EngineServer
beforeAll(async () => {
  server = await startEngine((request) => Promise.resolve(new Response(request.method)), {
    maxHeadBytes: MAX,
  })
})
afterAll(() => server.close())

/** A head of so many bytes. */
const headOf = (line: string, bytes: number, filling: (left: number) => string): string => {
  const fixed = `${line} HTTP/1.1\r\nHost: a.test\r\n`
  return `${fixed}${filling(bytes - fixed.length - 2)}\r\n`
}
const FILLINGS: readonly [string, (left: number) => string][] = [
  ['one long value', (left) => `X: ${'v'.repeat(left - 5)}\r\n`],
  ['one long name', (left) => `${'n'.repeat(left - 5)}: x\r\n`],
  [
    'many tiny fields',
    (left) => `${'a:b\r\n'.repeat(Math.floor(left / 5) - 1)}${'c'.repeat((left % 5) + 2)}:\r\n`,
  ],
  ['blanks before a value', (left) => `X:${' '.repeat(left - 5)}v\r\n`],
  ['blanks behind a value', (left) => `X:v${' '.repeat(left - 5)}\r\n`],
]
const ask = async (...pieces: string[]): Promise<number[]> => {
  const client = new RawClient(server.port)
  for (const piece of pieces) {
    client.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  client.socket.end()
  await client.closed
  return splitResponses(client.text).map(({ status }) => status)
}

describe.each(FILLINGS)('a head with %s', (_name, filling) => {
  it.each(['GET /', 'POST /', 'BREW /'])('is taken up to the limit: %s', async (line) => {
    expect(await ask(headOf(line, MAX, filling))).toEqual([200])
    expect(await ask(headOf(line, MAX + 1, filling))).toEqual([431])
    expect(await ask(headOf(line, 20 * MAX, filling))).toEqual([431])
  })
})

describe('a head', () => {
  it.each(FILLINGS.slice(0, 3))(
    'behind another one on its connection: %s',
    async (_name, filling) => {
      const small = headOf('POST /', 100, () => '')
      expect(await ask(small, headOf('POST /', MAX, filling))).toEqual([200, 200])
      // There blanks are not counted one by one.
      expect(await ask(small, headOf('POST /', MAX + 10, filling))).toEqual([200, 431])
    },
  )

  it('of endless blanks ends', async () => {
    const client = new RawClient(server.port)
    client.write('POST / HTTP/1.1\r\nHost: a.test\r\nX:')
    const timer = setInterval(() => client.write(' '.repeat(MAX)), 50)
    await client.closed
    clearInterval(timer)
    expect(client.text).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('whose request line alone is too long is 414', async () => {
    expect(await ask(`GET /${'x'.repeat(MAX)} HTTP/1.1\r\nHost: a.test\r\n\r\n`)).toEqual([414])
  })
})
