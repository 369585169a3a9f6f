import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  proxyToml,
  serveHosts,
  startApp,
  type RunningApp,
} from '../node/proxy/support/proxied-web.ts'
import { startWeb, type WebProcess } from '../node/web-server/support/web-process.ts'

/** So many bytes, each a chunk of its own. */
const COUNT = 300_000
const CHUNKS = Buffer.from('1\r\na\r\n'.repeat(COUNT))
const END = '0\r\n\r\n'

let web: WebProcess
let app: RunningApp
let received = 0

const countBody = (message: IncomingMessage, out: ServerResponse): void => {
  message.on('data', (piece: Buffer) => (received += piece.length))
  message.on('end', () => out.end('taken'))
}

beforeEach(async () => {
  received = 0
  app = await startApp()
  web = await startWeb({ workers: 1 })
  const root = join(web.directory, 'home/neighbour')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'page.txt'), 'hello')
  const neighbour = `[[virtualhost]]\ndomain = "n.test"\nroot = "${root}"\n`
  await serveHosts(web, 'all', `${proxyToml('t.test', app.port)}${neighbour}`)
})
afterEach(async () => {
  await web.remove()
  await app.close()
})

/** What is answered to these bytes, to its end. */
const ask = (bytes: readonly (string | Buffer)[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(web.port, '127.0.0.1')
    let text = ''
    socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    for (const piece of bytes) socket.write(piece)
  })

/** How often a neighbour is answered over one connection until the attack is over. */
const answersMeanwhile = async (attack: Promise<unknown>): Promise<number> => {
  const socket = connect(web.port, '127.0.0.1')
  let answers = -1
  const next = (): void => {
    answers++
    socket.write('GET /page.txt HTTP/1.1\r\nHost: n.test\r\n\r\n')
  }
  socket.on('data', next)
  next()
  await attack
  socket.destroy()
  return answers
}

const head = (method: string, more: string): string =>
  `${method} / HTTP/1.1\r\nHost: t.test\r\nConnection: close\r\n${more}\r\n`

describe('a body of hundreds of thousands of chunks', () => {
  it('passes whole to an application, and neighbours are answered in between', async () => {
    app.answer(countBody)
    const attack = ask([head('POST', 'Transfer-Encoding: chunked\r\n'), CHUNKS, END])
    // One turn of the event loop takes some ten thousand.
    expect(await answersMeanwhile(attack)).toBeGreaterThan(10)
    expect(await attack).toContain('taken')
    expect(received).toBe(COUNT)
  })

  it('passes whole from an application, and neighbours are answered in between', async () => {
    app.answer((message) => {
      message.socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      message.socket.write(CHUNKS)
      message.socket.write(END)
    })
    const attack = ask([head('GET', 'Cookie: PHPSESSID=0123456789abcdef0123\r\n')])
    expect(await answersMeanwhile(attack)).toBeGreaterThan(10)
    expect((await attack).split('a').length).toBeGreaterThan(COUNT)
  })

  it('that nobody wants is refused at once', async () => {
    const attack = ask([
      `POST /page.txt HTTP/1.1\r\nHost: n.test\r\nTransfer-Encoding: chunked\r\n\r\n`,
      CHUNKS,
      END,
    ])
    expect(await attack).toMatch(/^HTTP\/1\.1 405 /)
  })
})

describe('requests sent ahead by the thousand', () => {
  it('are answered in their order, and neighbours in between', async () => {
    const count = 5000
    const requests = Array.from({ length: count }, (_, n) => {
      const last = n === count - 1 ? 'Connection: close\r\n' : ''
      return `GET /page.txt?${n} HTTP/1.1\r\nHost: n.test\r\n${last}\r\n`
    }).join('')
    const attack = ask([requests])
    expect(await answersMeanwhile(attack)).toBeGreaterThan(10)
    expect((await attack).split('HTTP/1.1 200 OK').length - 1).toBe(count)
  })

  it('end the connection where they are not plain ones', async () => {
    const request = 'OPTIONS * HTTP/1.1\r\nHost: n.test\r\n\r\n'
    const answers = (await ask([request.repeat(5000)])).split('HTTP/1.1 200 OK').length - 1
    expect(answers).toBeGreaterThan(50)
    expect(answers).toBeLessThan(200)
  })
})
