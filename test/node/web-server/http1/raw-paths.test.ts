import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCertificate } from '../support/certificates.ts'
import {
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  FrameClient,
  HEADERS,
  pseudo,
} from '../support/h2-frames.ts'
import { phpHost, startPhpSite, type PhpSite } from '../support/php-site.ts'
import { RawClient, splitResponses } from '../support/raw-client.ts'
import { shareWeb, web } from '../support/shared-web.ts'

let php: PhpSite
shareWeb({ workers: 1 })
beforeAll(async () => {
  php = await startPhpSite(web.directory)
  mkdirSync(join(php.root, 'ä'))
  writeFileSync(join(php.root, '日本.txt'), 'a file')
  writeFileSync(join(php.root, 'ä', 'ö ü.txt'), 'another')
  writeFileSync(
    join(php.root, 'uri.php'),
    '<?php echo $_SERVER["REQUEST_URI"], " ", $_SERVER["PATH_INFO"] ?? "";',
  )
  web.writeHosts('raw', phpHost(php, 'raw.test', writeCertificate(web, 'raw', 'raw.test')))
  const { status } = await web.control('POST', '/reload')
  if (status !== 200) throw new Error(web.output())
})
afterAll(async () => {
  await php?.stop()
})

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')
const overHttp1 = async (path: string): Promise<[number | undefined, string]> => {
  const client = new RawClient(web.port)
  client.socket.write(
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: raw.test\r\nConnection: close\r\n\r\n`, 'latin1'),
  )
  await client.closed
  const [answer] = splitResponses(client.text)
  return [answer?.status, answer?.body ?? '']
}
const overHttp2 = async (path: string): Promise<[number | undefined, string]> => {
  const client = await FrameClient.open(web.sslPort, 'raw.test')
  client.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, fields(pseudo('raw.test', path))))
  await client.end(1)
  const body = client.body(1)
  const ok = client.frames.some(({ type, payload }) => type === HEADERS && payload[0] === 0x88)
  client.close()
  return [ok ? 200 : 0, body]
}

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('bytes beyond ASCII in a path over %s', (_protocol, ask) => {
  it('name the files that they name escaped', async () => {
    expect(await ask(bytesOf('/日本.txt'))).toEqual([200, 'a file'])
    expect(await ask('/%E6%97%A5%E6%9C%AC.txt')).toEqual([200, 'a file'])
    expect(await ask(bytesOf('/ä/%C3%B6%20ü.txt'))).toEqual([200, 'another'])
    expect(await ask(bytesOf('/日本.txt?q=ä'))).toEqual([200, 'a file'])
  })

  it('reach scripts in the one spelling that pages are stored under', async () => {
    const escaped = bytesOf('/uri.php/%C3%A4 /ä')
    expect(await ask(bytesOf('/uri.php/ä'))).toEqual([200, escaped])
    expect(await ask('/uri.php/%C3%A4')).toEqual([200, escaped])
  })
})

describe('a later request on a connection that carried a POST before', () => {
  it.each([
    ['with an unknown method', 'FOO /uri.php/x', '/uri.php/x /x'],
    ['with a method that begins like another', 'PROP /uri.php/x', '/uri.php/x /x'],
    ['with raw bytes in its path', `GET ${bytesOf('/uri.php/ä')}`, bytesOf('/uri.php/%C3%A4 /ä')],
  ])('%s is answered as a first one', async (_what, line, expected) => {
    const client = new RawClient(web.port)
    const head = 'HTTP/1.1\r\nHost: raw.test\r\n'
    client.socket.write(`POST /uri.php/first ${head}Content-Length: 1\r\n\r\nx`)
    await client.until(
      (text) => text.includes('\r\n\r\n') && splitResponses(text).some(({ complete }) => complete),
    )
    client.socket.write(Buffer.from(`${line} ${head}Connection: close\r\n\r\n`, 'latin1'))
    await client.closed
    const answers = splitResponses(client.text)
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '/uri.php/first /first'],
      [200, expected],
    ])
  })

  it('is refused where its line is not all that came behind the answer', async () => {
    const client = new RawClient(web.port)
    const head = 'HTTP/1.1\r\nHost: raw.test\r\n'
    // Answered at once, each with the beginning of another request in the same packet.
    client.socket.write(
      `POST /uri.php/a ${head}Content-Length: 1\r\n\r\nxFOO /uri.php/b ${head}\r\n`,
    )
    await client.closed
    expect(client.text).not.toContain('/uri.php/b')
  })
})
