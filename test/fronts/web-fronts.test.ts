import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { linkName } from '#adapters/shared/host-rpc/link/link-name.ts'
import { channelCertificateFile, channelKeyFile } from '#adapters/node/web-channel/channel-files.ts'
import { VISITOR_FIELD } from '#adapters/node/web-channel/visitor-field.ts'
import {
  forgetAtChannel,
  ownChannelLine,
  trustAtChannel,
} from '#adapters/node/web-channel/own-channel.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { directory, php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import {
  channelOf,
  HOST_ID,
  startFrontPair,
  type Front,
  type FrontPair,
} from './support/front-pair.ts'

let pair: FrontPair
let chat: WebSocketServer
let a: Front
let b: Front
/** In every page that is made now. */
let version = 0
/** A page that no test before has asked for. */
let page: string
let tests = 0

const change = (): number => {
  const file = join(directory, 'site/version')
  writeFileSync(`${file}.new`, String(++version))
  renameSync(`${file}.new`, file)
  return version
}
const WHO = `<?php
header('Cache-Control: no-store');
if (isset($_GET['purge'])) header('X-Cache-Purge: ' . $_GET['purge']);
echo json_encode([$_SERVER['REMOTE_ADDR'], $_SERVER['HTTPS'] ?? 'off', $_SERVER['HTTP_X_FORWARDED_FOR'] ?? null]);
`
const UPLOAD = `<?php
header('Cache-Control: no-store');
echo $_SERVER['REMOTE_ADDR'], ' ', md5_file('php://input');
`
const UPLOAD_BYTES = 20 * 2 ** 20
const RULES = `RewriteEngine On
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^ /index.php [L]
`
const PICKY_RULES = `RewriteEngine On
RewriteCond %{HTTP_USER_AGENT} phone
RewriteRule ^agent$ /still.html [L]
RewriteRule ^agent$ /index.php [L]
`
const ask = ({ web }: Front, path: string, fields = '') => get(web.port, 'p.test', path, fields)
/** The body of the answer to a POST. */
const post = (port: number, fields: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { host: 'p.test', ...fields, 'content-length': '1' }
    const options = { host: '127.0.0.1', port, method: 'POST', path: '/who.php', headers }
    const outgoing = request({ ...options, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => (text += part))
      answer.on('end', () => resolve(text))
    })
    outgoing.on('error', reject)
    outgoing.end('x')
  })
const stored = (front: Front, path = page): Promise<void> =>
  eventually(`${path} is stored at ${front.id}`, async () => {
    const { headers } = await ask(front, path)
    return headers['x-cache'] === 'HIT'
  })
/** As each worker has it. */
const seen = async (front: Front): Promise<Set<number>> => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(front, page)))
  return new Set(answers.map(({ body }) => Number(body.split(' ')[1])))
}
const purge = async ({ web }: Front): Promise<unknown> => {
  const { status, body } = await web.management(
    'POST',
    `/api/v1/cache/purge?domain=p.test&path=${page}`,
  )
  expect(status).toBe(200)
  return (body as { others?: string }).others
}
/** On a busy machine Redis may seem to be away for a moment. */
const purgeEverywhere = (front: Front): Promise<void> =>
  eventually('all were told', async () => (await purge(front)) === 'told')

sharePhpSite()
beforeAll(async () => {
  writeFileSync(join(directory, 'site/htdocs/who.php'), WHO)
  writeFileSync(join(directory, 'site/htdocs/.htaccess'), RULES)
  mkdirSync(join(directory, 'site/htdocs/picky'))
  writeFileSync(join(directory, 'site/htdocs/picky/.htaccess'), PICKY_RULES)
  writeFileSync(join(directory, 'site/htdocs/upload.php'), UPLOAD)
  chat = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  chat.on('connection', (socket, { headers }) => {
    socket.send(String(headers['x-forwarded-for']))
    socket.on('message', (data) => socket.send(`${String(data)} yourself`))
  })
  await once(chat, 'listening')
  const { port } = chat.address() as AddressInfo
  pair = await startFrontPair(
    php,
    `htaccess = true
[virtualhost.backends.chat]
paths = ["/chat"]
upstream = "http://127.0.0.1:${port}"
websocket = true
`,
  )
  ;[a, b] = pair.fronts
})
afterAll(async () => {
  await pair?.remove()
  for (const one of chat?.clients ?? []) one.terminate()
  chat?.close()
})
beforeEach(() => {
  page = `/front${tests++}`
  change()
})

describe('two fronts before one host', () => {
  it('have one page: what one stored the other shows, and the host is asked once', async () => {
    await eventually('the channel stands', async () => (await ask(a, page)).status === 200)
    await stored(a)
    php.resetRuns()
    expect((await ask(b, page)).headers['x-cache']).toBe('HIT')
    expect(php.runs()).toBe(0)
  })

  it('tell the host who the visitor is, and nobody else can', async () => {
    const [address, https] = JSON.parse((await ask(a, '/who.php')).body) as string[]
    expect([address, https]).toEqual(['127.0.0.1', 'off'])
    const forged = 'berth-visitor: 192.0.2.7 1 https 443\r\nx-forwarded-for: 192.0.2.7\r\n'
    for (const port of [a.web.port, pair.host.port]) {
      const { body } = await get(port, 'p.test', '/who.php', forged)
      expect(body).not.toContain('192.0.2.7')
      expect(body).toContain('127.0.0.1')
      // Which another engine reads.
      const posted = await post(port, { [VISITOR_FIELD]: '192.0.2.7 1 https 443' })
      expect(posted).not.toContain('192.0.2.7')
      expect(posted).toContain('127.0.0.1')
    }
  })

  it('pass on WebSockets and large uploads, and tell whose they are', async () => {
    const from = { localAddress: '127.0.0.9', headers: { host: 'p.test' } }
    const socket = new WebSocket(`ws://127.0.0.1:${a.web.port}/chat`, from)
    const messages: string[] = []
    socket.on('message', (data) => messages.push(String(data)))
    socket.on('open', () => socket.send('hello'))
    await eventually('the chat answers', async () => messages.length === 2)
    expect(messages).toEqual(['127.0.0.9', 'hello yourself'])
    const ended = once(socket, 'close')
    socket.close()
    await ended

    const body = randomBytes(UPLOAD_BYTES)
    const said = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        {
          ...{ host: '127.0.0.1', port: b.web.port, method: 'POST', path: '/upload.php' },
          ...{ localAddress: '127.0.0.9', agent: false },
          headers: { host: 'p.test', 'content-type': 'application/octet-stream' },
        },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (part: string) => (text += part))
          answer.on('end', () => resolve(text))
        },
      )
      outgoing.on('error', reject)
      // In chunks: nobody knows beforehand how much it will be.
      Readable.from([body.subarray(0, 7), body.subarray(7)]).pipe(outgoing)
    })
    expect(said).toBe(`127.0.0.9 ${createHash('md5').update(body).digest('hex')}`)
  })

  it('show no old page once a purge is answered, also where one is cut from Redis', async () => {
    for (const cut of ['ends', 'swallows'] as const) {
      await Promise.all([stored(a), stored(b)])
      if (cut === 'ends') b.redis.lead(null)
      else b.redis.swallow(true)
      const now = change()
      await purgeEverywhere(a)
      expect(await seen(b)).toEqual(new Set([now]))
      expect(await seen(a)).toEqual(new Set([now]))
      if (cut === 'ends') b.redis.lead(pair.redis.port)
      else b.redis.swallow(false)
    }
    await Promise.all([stored(a), stored(b)])
  })

  it('make new what the site says in an answer that passes through', async () => {
    await Promise.all([stored(a), stored(b)])
    const now = change()
    const { headers } = await ask(a, `/who.php?purge=${page}`)
    expect(headers['x-cache-purge']).toBeUndefined()
    expect(await seen(b)).toEqual(new Set([now]))
    expect(await seen(a)).toEqual(new Set([now]))
  })

  it('show no old page once the host answered a purge, and say kept where none is told', async () => {
    const purgeAtHost = async (query: string): Promise<unknown> => {
      const asked = await pair.host.management('POST', `/api/v1/cache/purge?${query}`)
      expect(asked.status).toBe(200)
      return (asked.body as { others?: string }).others
    }
    for (const query of [`domain=p.test&path=${page}`, 'domain=p.test', 'tag=front', '']) {
      await Promise.all([stored(a), stored(b)])
      const now = change()
      await eventually('a front carried it out', async () => (await purgeAtHost(query)) === 'told')
      expect([...(await seen(a)), ...(await seen(b))], query).toEqual([now, now])
    }
    // Neither front reaches the host, which keeps it and says so.
    await Promise.all([stored(a), stored(b)])
    for (const { host } of [a, b]) host.lead(null)
    const now = change()
    await eventually('nobody asks', async () => (await purgeAtHost('domain=p.test')) === 'kept')
    expect((await ask(b, page)).headers['x-cache']).toBe('HIT')
    for (const { host } of [a, b]) host.lead(pair.frontPort)
    for (const front of [a, b])
      await eventually('it follows', async () => [...(await seen(front))].join() === `${now}`)
  })

  it('keep what a host asks for where Redis is away from all of them, until it is back', async () => {
    await Promise.all([stored(a), stored(b)])
    for (const { redis } of [a, b]) redis.lead(null)
    const now = change()
    const asked = await pair.host.management('POST', '/api/v1/cache/purge?domain=p.test')
    expect(asked.body).toMatchObject({ others: 'kept' })
    for (const { redis } of [a, b]) redis.lead(pair.redis.port)
    await Promise.all([stored(a), stored(b)])
    for (const front of [a, b])
      await eventually('it holds', async () => [...(await seen(front))].join() === `${now}`)
  })

  it('show stored pages while the host is away, and 502 for others', async () => {
    await Promise.all([stored(a), stored(b)])
    for (const { host } of [a, b]) host.lead(null)
    try {
      expect((await ask(b, page)).headers['x-cache']).toBe('HIT')
      expect((await ask(a, '/never-asked')).status).toBe(502)
    } finally {
      for (const { host } of [a, b]) host.lead(pair.frontPort)
    }
    expect((await ask(a, '/never-asked')).status).toBe(200)
  })
})

describe('the host’s listener for fronts', () => {
  /** What comes back for one request; '' where the connection is closed. */
  const knock = (own: { key?: string; cert?: string }, visitor: string): Promise<string> =>
    new Promise((resolve) => {
      let text = ''
      const socket = connectTls({
        ...own,
        ...{ host: '127.0.0.1', port: pair.frontPort, servername: linkName(HOST_ID) },
        rejectUnauthorized: false,
      })
      socket.setEncoding('utf8')
      socket.on('data', (part: string) => (text += part))
      socket.on('error', () => socket.destroy())
      socket.on('close', () => resolve(text))
      socket.write(`GET /who.php HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\n${visitor}\r\n`)
    })
  const VISITOR = 'berth-visitor: 192.0.2.7 50000 https 443\r\n'

  it('refuses who is not on the list, at once when he is taken off, and who says no visitor', async () => {
    const elsewhere = join(directory, 'front-c')
    const line = await ownChannelLine(elsewhere, { id: 'front-c', role: 'front' }, null)
    const own = {
      key: readFileSync(channelKeyFile(elsewhere), 'utf8'),
      cert: readFileSync(channelCertificateFile(elsewhere), 'utf8'),
    }
    expect(await knock({}, VISITOR)).toBe('')
    expect(await knock(own, VISITOR)).toBe('')
    trustAtChannel(channelOf(pair.host), line, null)
    expect(await knock(own, VISITOR)).toContain('["192.0.2.7","on"')
    expect(await knock(own, '')).toBe('')
    expect(await knock(own, 'berth-visitor: nobody 1 http 80\r\n')).toBe('')
    forgetAtChannel(channelOf(pair.host), 'front-c', null)
    expect(await knock(own, VISITOR)).toBe('')
    expect((await ask(a, '/who.php')).status).toBe(200)
  })

  it('is asked only where it shows the certificate that the front has of it', async () => {
    const elsewhere = join(directory, 'another')
    const wrong = await ownChannelLine(elsewhere, { id: HOST_ID, role: 'host' }, null)
    trustAtChannel(channelOf(a.web), wrong, null)
    expect((await ask(a, '/who.php?other')).status).toBe(502)
    const right = await ownChannelLine(channelOf(pair.host), { id: HOST_ID, role: 'host' }, null)
    trustAtChannel(channelOf(a.web), right, null)
    expect((await ask(a, '/who.php?other')).status).toBe(200)
  })

  it('takes lines of the other end alone, and a machine keeps its id', async () => {
    const channel = channelOf(pair.host)
    await expect(ownChannelLine(channel, { id: 'other', role: 'host' }, null)).rejects.toThrow(
      'another id or role',
    )
    for (const line of ['', 'berth-web-1.', 'berth-web-1.e30', `berth-web-1.${'A'.repeat(9000)}`])
      expect(() => trustAtChannel(channel, line, null)).toThrow('not what')
    expect(() => forgetAtChannel(channel, 'nobody', null)).toThrow('no machine')
  })
})

describe('what a front keeps of a site with rules', () => {
  it('is what everybody gets, and nothing that rules decide by who asks', async () => {
    await stored(a, '/plain')
    for (let time = 0; time < 3; time++) {
      expect((await ask(a, '/picky/agent', 'User-Agent: desk\r\n')).body).toContain('version')
      expect((await ask(b, '/picky/agent', 'User-Agent: phone\r\n')).body).toContain('still')
    }
  })
})
