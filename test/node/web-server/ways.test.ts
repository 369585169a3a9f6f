import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proxyToml } from '#test/node/proxy/support/proxied-web.ts'
import { writeCertificate } from './support/certificates.ts'
import { startLoneWorker, type LoneWorker } from './support/lone-worker.ts'
import { eventually } from './support/web-process.ts'
import { HITS, OTHERS, page, PHONE } from './support/ways-cases.ts'
import { WAYS, type PageRequest, type Told } from './support/ways.ts'

const TEXT = 'A page of words that can be made shorter. '.repeat(100)

let app: Server
let worker: LoneWorker

/** What the application says about each of its paths. */
const FIELDS: Record<string, Record<string, string | string[]>> = {
  '/page': {
    etag: '"v1"',
    'x-own': 'kept',
    link: ['</a.css>; rel=preload', '</b.js>; rel=preload'],
  },
  '/weak': { etag: 'W/"w"', 'last-modified': 'Sat, 01 Jan 2022 00:00:00 GMT' },
  '/private': { 'cache-control': 'private' },
  '/no-store': { 'cache-control': 'no-store' },
  '/cookie': { 'set-cookie': ['a=1; Path=/', 'b=2'] },
  '/vary': { vary: 'Accept-Language' },
  '/data': { 'content-type': 'application/json' },
}

beforeAll(async () => {
  app = createServer((message, out) => {
    const path = message.url ?? ''
    const phone = /iPhone/.test(message.headers['user-agent'] ?? '')
    out.writeHead(path === '/gone' ? 410 : 200, {
      'content-type': 'text/html; charset=utf-8',
      ...FIELDS[path],
    })
    out.end(`${message.headers.host} ${path}${phone ? ' phone' : ''} ${TEXT}`)
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', () => resolve()))
  const { port } = app.address() as AddressInfo
  const site = (name: string, keys = '', cache = ''): string =>
    `${proxyToml(name, port, '', keys)}[virtualhost.cache]\n${cache}\n`
  worker = await startLoneWorker(
    (directory) =>
      [
        site('a.test', 'aliases = ["www.a.test"]'),
        site('m.test', '', 'mobile_variant = true'),
        site('e.test', '', 'exclude = ["/page", "/x/*"]'),
        site('b.test', '', 'bypass_cookies = ["mine"]'),
        site('n.test', '', 'enable = false'),
        site('s.test', 'suspended = true'),
        site('o.test', 'over_bandwidth = true'),
        site(
          'r.test',
          `redirect_https = true\nhsts_max_age_secs = 600\n${writeCertificate({ directory }, 'r', 'r.test')}`,
        ),
        `[[virtualhost]]\ndomain = "f.test"\nroot = "${directory}/home/f"\nhtaccess = true\n[virtualhost.php]\nenable = false\n`,
      ].join('\n'),
    (directory) => {
      const root = join(directory, 'home/f')
      mkdirSync(root)
      writeFileSync(join(root, 'index.html'), `<p>${TEXT}</p>`)
      writeFileSync(join(root, '.htaccess'), 'Header set X-Edition one\n')
    },
  )
})
afterAll(async () => {
  await worker?.remove()
  app?.closeAllConnections()
  app?.close()
})

/** Every answer by the way it came, plain and over TLS apart: a scheme may mean another answer. */
const askAll = async (
  asked: PageRequest,
): Promise<{ plain: [string, Told][]; secure: [string, Told][] }> => {
  const answers: { plain: [string, Told][]; secure: [string, Told][] } = { plain: [], secure: [] }
  for (const way of WAYS)
    answers[way.secure ? 'secure' : 'plain'].push([way.name, await way.ask(worker, asked)])
  return answers
}

const expectSame = async (asked: PageRequest): Promise<void> => {
  const { plain, secure } = await askAll(asked)
  for (const group of [plain, secure])
    for (const [way, told] of group.slice(1))
      expect({ way, ...told }).toEqual({ way, ...group[0]?.[1] })
}

describe('all ways through a worker', () => {
  beforeAll(async () => {
    // Stored, with their codings, before anything is compared.
    // A conditional request stores nothing.
    for (const [, { host, path }] of [...HITS, ...OTHERS]) await askAll({ host, path })
    await askAll(page({ 'user-agent': PHONE }, { host: 'm.test' }))
    const coded = ['a.test', 'www.a.test', 'm.test', 'b.test'].map((host) => [host, '/page'])
    const more = [
      ...[
        ['f.test', '/'],
        ['a.test', '/bare'],
        ['a.test', '/weak'],
      ],
      ['m.test', '/page', PHONE],
    ]
    for (const [host = '', path = '', agent] of [...coded, ...more])
      for (const coding of ['gzip', 'br'])
        await eventually(`${coding} of ${host}${path}`, async () => {
          const { plain, secure } = await askAll({
            host,
            path,
            fields: { 'accept-encoding': coding, ...(agent ? { 'user-agent': agent } : {}) },
          })
          return [...plain, ...secure].every(
            ([, { headers }]) => headers['content-encoding'] === coding,
          )
        })
  })

  it.each(HITS)('give the same hit: %s', async (_name, asked) => {
    await expectSame(asked)
    for (const way of WAYS) {
      const before = await worker.stats()
      const told = await way.ask(worker, asked)
      const { fastHits, handedOver } = (await worker.stats()).engine
      expect([way.name, told.headers['x-cache']]).toEqual([way.name, 'HIT'])
      // It really went that way.
      expect([way.name, fastHits - before.engine.fastHits]).toEqual([
        way.name,
        way.kind === 'hot' ? 1 : 0,
      ])
      expect([way.name, handedOver - before.engine.handedOver]).toEqual([
        way.name,
        way.kind === 'general' ? 1 : 0,
      ])
    }
  })

  it.each(['identity', 'gzip', 'br'])(
    'give a page without validators the same tag of its content, and 304 to it: %s',
    async (coding) => {
      const asked = page({ 'accept-encoding': coding }, { path: '/bare' })
      const first = await WAYS[0]?.ask(worker, asked)
      const tag = first?.headers['etag'] ?? ''
      expect(tag).toMatch(
        coding === 'identity' ? /^"[\w-]{16}"$/ : new RegExp(`^"[\\w-]{16}-${coding}"$`),
      )
      await expectSame(asked)
      const conditional = page(
        { 'accept-encoding': coding, 'if-none-match': tag },
        { path: '/bare' },
      )
      await expectSame(conditional)
      for (const way of WAYS) {
        const before = (await worker.stats()).engine.fastHits
        const told = await way.ask(worker, conditional)
        expect([way.name, told.status, told.headers['etag']]).toEqual([way.name, 304, tag])
        const { fastHits } = (await worker.stats()).engine
        expect([way.name, fastHits - before]).toEqual([way.name, way.kind === 'hot' ? 1 : 0])
      }
    },
  )

  it.each(OTHERS)('give the same answer: %s', async (_name, asked) => {
    await expectSame(asked)
  })

  it('find another edition of the rules of a site', async () => {
    const asked = { host: 'f.test', path: '/' }
    writeFileSync(join(worker.directory, 'home/f/.htaccess'), 'Header set X-Edition two\n')
    await expect
      .poll(
        async () => {
          const { plain, secure } = await askAll(asked)
          // The other codings come after the page, and with them a Vary.
          return [...plain, ...secure].map(([, { headers }]) => [
            headers['x-edition'],
            headers['vary'],
          ])
        },
        { timeout: 10_000 },
      )
      .toEqual(WAYS.map(() => ['two', 'Accept-Encoding']))
    await expectSame(asked)
  })
})
