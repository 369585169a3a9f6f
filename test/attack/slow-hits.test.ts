import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeCertificate } from '#test/node/web-server/support/certificates.ts'
import { RawClient } from '#test/node/web-server/support/raw-client.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { childrenOf } from '#test/support/processes-of.ts'

const PAGE_BYTES = 7_500_000
const READERS = 40
const HEAD = 'GET /page HTTP/1.1\r\nHost: site.test\r\n'

let web: WebProcess
let application: Server
const rssBytes = (): number =>
  childrenOf(web.pid)
    .map((pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    .reduce((sum, size) => sum + Number(size) * 1024, 0)

beforeAll(async () => {
  const page = Buffer.alloc(PAGE_BYTES, 'x')
  application = createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.setHeader('cache-control', 'public, max-age=600')
    answer.end(page)
  })
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
  const { port } = application.address() as AddressInfo
  web = await startWeb({ workers: 1 })
  const certificate = writeCertificate(web, 'site', 'site.test')
  web.writeHosts(
    'site',
    `[[virtualhost]]\ndomain = "site.test"\nroot = "${web.directory}/home"\n${certificate}\n[virtualhost.proxy]\nupstream = "http://127.0.0.1:${port}"\n`,
  )
  expect((await web.control('POST', '/reload')).status).toBe(200)
})
afterAll(async () => {
  await web?.remove()
  application?.closeAllConnections()
  application?.close()
})

/** Reads one answer whole. */
const read = async (port: number, fields: string, servername?: string): Promise<string> => {
  const client = new RawClient(port, servername === undefined ? {} : { servername })
  client.write(`${HEAD}${fields}Connection: close\r\n\r\n`)
  await client.closed
  client.destroy()
  return client.text
}

const WAYS: [string, 'port' | 'sslPort', string][] = [
  ['over TLS', 'sslPort', ''],
  ['over TLS, by way of the general server', 'sslPort', 'TE: trailers\r\n'],
  ['over TLS, of a part', 'sslPort', 'Range: bytes=1-\r\n'],
  ['of a part', 'port', 'Range: bytes=1-\r\n'],
  ['by way of the general server', 'port', 'TE: trailers\r\n'],
]

test.each(WAYS)(
  'who take nothing of a large page %s share what they wait for',
  async (_way, port, fields) => {
    const servername = port === 'sslPort' ? 'site.test' : undefined
    let whole = ''
    await read(web[port], '', servername)
    await eventually('it is stored', async () => {
      whole = await read(web[port], fields, servername)
      return whole.includes('x-cache: HIT')
    })
    const sent = PAGE_BYTES - (fields.startsWith('Range') ? 1 : 0)
    expect(whole.length - whole.indexOf('\r\n\r\n') - 4).toBe(sent)
    const before = rssBytes()
    const readers = Array.from({ length: READERS }, () => {
      const reader = new RawClient(web[port], {
        paused: true,
        ...(servername === undefined ? {} : { servername }),
      })
      reader.write(`${HEAD}${fields}\r\n`)
      return reader
    })
    // The first bytes come when all that is ever given to the line was.
    await Promise.all(
      readers.map(({ socket }) => new Promise((resolve) => socket.once('readable', resolve))),
    )
    // Each with its own copy would be 300 MB.
    expect(rssBytes() - before).toBeLessThan(120 * 2 ** 20)
    for (const reader of readers) reader.destroy()
  },
)
