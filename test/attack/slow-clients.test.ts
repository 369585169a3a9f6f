import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { phpHost, startPhpSite, type PhpSite } from '#test/node/web-server/support/php-site.ts'
import { exchange, RawClient, splitResponses } from '#test/node/web-server/support/raw-client.ts'
import { siteToml } from '#test/node/web-server/support/static-web.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'

const IDLE = 2000
/** Of each kind. */
const SLOW = 25
const HEAD_SECS = 8
const MEGABYTE = 2 ** 20
/** What an idle worker has, and room for 2,200 clients: 250 of them with buffers full. */
const MAX_WORKER_BYTES = 450 * MEGABYTE

let web: WebProcess
let php: PhpSite
beforeAll(async () => {
  web = await startWeb({
    workers: 2,
    server: `max_connections_per_address = 0\nheader_timeout = ${HEAD_SECS}\nrequest_timeout = 12\nkeepalive_timeout = 300`,
  })
  writeFileSync(join(web.directory, 'state/index.html'), '<p>a page</p>')
  writeFileSync(join(web.directory, 'state/big.bin'), Buffer.alloc(20 * MEGABYTE, 'b'))
  php = await startPhpSite(web.directory)
  writeFileSync(
    join(php.root, 'flood.php'),
    '<?php for ($i = 0; $i < 400; $i++) echo str_repeat("f", 50000);',
  )
  web.writeHosts('m', siteToml(web, 'm.test'))
  web.writeHosts('p', phpHost(php, 'p.test'))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})
const open: RawClient[] = []
const drips: NodeJS.Timeout[] = []
afterEach(() => {
  for (const drip of drips.splice(0)) clearInterval(drip)
  for (const client of open.splice(0)) client.destroy()
})
afterAll(async () => {
  await php?.stop()
  await web?.remove()
})

const peakBytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
const started = (client: RawClient, event: 'connect' | 'secureConnect'): Promise<unknown> =>
  new Promise((resolve) => {
    client.socket.once(event, resolve)
    client.socket.once('close', resolve)
  })
const connections = async (): Promise<number> =>
  ((await web.control('GET', '/status')).body as { connections: number }).connections

/** Opens clients of one kind; each sends `bytes`, and a byte more every second when it drips. */
const lay = async (
  count: number,
  secure: boolean,
  bytes: string,
  options: { drip?: string; reads?: boolean } = {},
): Promise<RawClient[]> => {
  const clients: RawClient[] = []
  for (let i = 0; i < count; i++) {
    const client = new RawClient(secure ? web.sslPort : web.port, {
      paused: options.reads === false,
      ...(secure ? { servername: 'm.test' } : {}),
    })
    clients.push(client)
    open.push(client)
    // In groups, as the queue of waiting connections is not endless.
    if (i % 100 === 99) await started(client, secure ? 'secureConnect' : 'connect')
  }
  for (const client of clients) if (bytes !== '') client.write(bytes)
  const { drip } = options
  if (drip !== undefined)
    drips.push(setInterval(() => clients.forEach((client) => client.write(drip)), 1000))
  return clients
}

const visit = async (secure: boolean, host: string, path = '/'): Promise<void> => {
  const bytes = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const text = secure
    ? await exchange(web.sslPort, bytes, { servername: host })
    : await exchange(web.port, bytes)
  expect(splitResponses(text)[0]).toMatchObject({ status: 200, complete: true })
}

describe('while thousands idle and hundreds are slow', () => {
  test('others are answered, memory stays bounded, and the slow ones end', async () => {
    const idle = await lay(IDLE, false, '')
    await eventually('they stand', async () => (await connections()) >= IDLE)
    const slow: Record<string, RawClient[]> = {}
    for (const secure of [false, true]) {
      const name = secure ? 'https' : 'http'
      slow[`${name} head`] = await lay(SLOW, secure, 'GET / HTTP/1.1\r\nHost: m.test\r\nX: ', {
        drip: 'y',
      })
      slow[`${name} body`] = await lay(
        SLOW,
        secure,
        'POST / HTTP/1.1\r\nHost: p.test\r\nContent-Length: 100000\r\n\r\nabc',
        { drip: 'y' },
      )
      slow[`${name} reader`] = await lay(
        SLOW,
        secure,
        'GET /big.bin HTTP/1.1\r\nHost: m.test\r\n\r\n',
        { reads: false },
      )
    }
    // Of scripts fewer: each holds one of the site's own PHP processes.
    slow['reader of PHP'] = await lay(2, false, 'GET /flood.php HTTP/1.1\r\nHost: p.test\r\n\r\n', {
      reads: false,
    })
    // For the https listener no handshake.
    for (let i = 0; i < SLOW; i++) open.push(new RawClient(web.sslPort))
    for (let i = 0; i < 60; i++) {
      await visit(i % 2 === 0, 'm.test', i % 3 === 0 ? '/' : `/?${i}`)
      if (i % 10 === 0) await visit(false, 'p.test', '/still.html')
    }
    for (let i = 0; i < 5; i++) await visit(i % 2 === 0, 'p.test', `/?${i}`)
    // They stood all the time: what was answered was answered beside them.
    expect(idle.filter(({ socket }) => !socket.destroyed)).toHaveLength(IDLE)
    for (const pid of web.workers()) expect(peakBytes(pid)).toBeLessThan(MAX_WORKER_BYTES)
    for (const name of ['http', 'https'])
      for (const kind of ['head', 'body'])
        for (const client of slow[`${name} ${kind}`] ?? []) {
          await client.closed
          expect(splitResponses(client.text)).toMatchObject([{ status: 408 }])
        }
    for (const pid of web.workers()) expect(peakBytes(pid)).toBeLessThan(MAX_WORKER_BYTES)
    await visit(false, 'm.test')
    await visit(true, 'p.test', '/?last')
  })

  test('a TLS handshake that does not come makes room like any idle connection', async () => {
    const file = join(web.directory, 'berth.toml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('[server]', '[server]\nmax_connections = 64'))
    const old = web.workers()
    expect((await web.control('POST', '/reload')).status).toBe(200)
    await eventually(
      'old workers are gone',
      () => web.workers().every((pid) => !old.includes(pid)),
      20_000,
    )
    for (let i = 0; i < 100; i++) {
      // Never a byte: for the https listener no handshake.
      const client = new RawClient(web.sslPort)
      open.push(client)
      await started(client, 'connect')
    }
    for (let i = 0; i < 10; i++) await visit(i % 2 === 0, 'm.test')
    expect(await connections()).toBeLessThanOrEqual(64)
  })
})
