import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import type { ApplicationSpec } from '#handlers/ports/host/applications.ts'
import { ask } from '../proxy/support/proxied-web.ts'
import type { WebProcess } from '../web-server/support/web-process.ts'
import { applicationSpec } from './applications-fixture.ts'
import type { ApplicationsFixture } from './applications-fixture.ts'
import { createVisitedFixture, HOST, type VisitedFixture } from './visited-fixture.ts'

/** Says which start it is; `/slow` takes a while, `/echo` answers what it is sent; speaks WebSocket. */
const SERVER = `import { createServer } from 'node:http'
import { createHash } from 'node:crypto'
createServer(async (ask, answer) => {
  if (ask.url.startsWith('/slow')) await new Promise((go) => setTimeout(go, 300))
  answer.setHeader('cache-control', ask.url.startsWith('/page') ? 'max-age=60' : 'no-store')
  answer.setHeader('content-type', 'text/html')
  let text = ''
  for await (const chunk of ask) text += chunk
  answer.end(ask.url === '/echo' ? text : process.env.MARK)
}).on('upgrade', (ask, socket) => {
  const key = createHash('sha1').update(ask.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11')
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + key.digest('base64') + '\\r\\n\\r\\n')
  socket.write(Buffer.from([0x81, process.env.MARK.length, ...Buffer.from(process.env.MARK)]))
  socket.on('error', () => {}).on('end', () => socket.end()).resume()
}).listen(process.env.SOCKET)
`

let on: ApplicationsFixture
let service: ApplicationsService
let web: WebProcess
let fixture: VisitedFixture
beforeAll(async () => {
  fixture = await createVisitedFixture()
  ;({ on, service, web } = fixture)
  await fixture.serve({ name: 'shop', paths: null })
})
afterAll(() => fixture?.dispose())

const shop = () => ({ username: on.account.username, name: 'shop' })
const put = async (mark: string, change: Partial<ApplicationSpec> = {}): Promise<void> => {
  const { username, home, uid, gid } = on.account
  const spec = applicationSpec(username, 'shop', { environment: { MARK: mark }, ...change })
  await service.put({ spec, secrets: {} })
  const file = join(home, spec.folder, 'server.mjs')
  writeFileSync(file, SERVER)
  chownSync(file, uid, gid)
}
const get = (path: string) => ask(web.port, path, { host: HOST })
const asleep = async (): Promise<boolean> => {
  const [state] = await service.states(shop())
  return state?.state === 'asleep'
}

describe('visitors of an application', () => {
  it('meet no failure while a newer one takes its place', async () => {
    await put('one')
    await service.deploy(shop())
    expect((await get('/')).text).toBe('one')
    const seen: string[] = []
    let done = false
    const visit = async (path: string): Promise<void> => {
      while (!done) {
        const { status, text } = await get(path)
        seen.push(status === 200 ? text : `${status} ${text}`)
      }
    }
    const visitors = [visit('/'), visit('/'), visit('/slow'), visit('/slow?2')]
    for (const mark of ['two', 'three']) {
      await put(mark)
      await service.deploy(shop())
      expect((await get('/')).text).toBe(mark)
    }
    done = true
    await Promise.all(visitors)
    expect(seen.filter((text) => !['one', 'two', 'three'].includes(text))).toEqual([])
    expect(seen).toContain('two')
    expect(seen.length).toBeGreaterThan(20)
  })

  it('get its pages from the page cache, also while it is down', async () => {
    expect((await get('/page')).headers['x-cache']).toBe('MISS')
    expect((await get('/page')).headers['x-cache']).toBe('HIT')
    await service.stop(shop())
    expect((await get('/page')).headers['x-cache']).toBe('HIT')
    expect((await get('/other')).status).toBe(503)
    await service.deploy(shop())
    expect((await get('/other')).status).toBe(200)
  })

  it('wake it when it sleeps, whatever they ask', async () => {
    await put('awake', { sleepAfterSecs: 1 })
    await service.deploy(shop())
    await expect.poll(asleep, { timeout: 20_000 }).toBe(true)
    const body = 'x'.repeat(200_000)
    const [page, echo] = await Promise.all([
      get('/'),
      ask(web.port, '/echo', { host: HOST, method: 'POST', body }),
    ])
    expect([page.status, page.text]).toEqual([200, 'awake'])
    expect([echo.status, echo.text]).toEqual([200, body])
    await expect.poll(asleep, { timeout: 20_000 }).toBe(true)
    const socket = new WebSocket(`ws://127.0.0.1:${web.port}/`, { headers: { host: HOST } })
    const said = await new Promise<string>((resolve, reject) => {
      socket.on('message', (data: Buffer) => resolve(data.toString()))
      socket.on('error', reject)
    })
    expect(said).toBe('awake')
    socket.terminate()
  })

  it('are told when it cannot be started, and it is tried again', async () => {
    await expect.poll(asleep, { timeout: 20_000 }).toBe(true)
    const file = join(on.account.home, 'apps/shop/server.mjs')
    chmodSync(file, 0)
    expect((await get('/')).status).toBe(503)
    chmodSync(file, 0o644)
    await expect.poll(async () => (await get('/')).status, { timeout: 30_000 }).toBe(200)
  })
})
