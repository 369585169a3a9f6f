import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { ask, serveHosts, startApp, type RunningApp } from './support/proxied-web.ts'

const apps = new Map<string, RunningApp>()
let web: WebProcess
let sockets: WebSocketServer

const backend = (name: string, more = ''): string =>
  `[virtualhost.backends.${name}]\nupstream = "http://127.0.0.1:${apps.get(name)?.port ?? 0}"\n${more}\n`

beforeAll(async () => {
  makeDirectory()
  for (const name of ['main', 'api', 'web', 'stream'])
    apps.set(
      name,
      await startApp((message, out) => {
        out.setHeader('content-type', 'text/html')
        out.end(`${name} ${message.method} ${message.url}`)
      }),
    )
  sockets = new WebSocketServer({ server: apps.get('web')?.server as HttpServer })
  sockets.on('connection', (socket, message) => socket.send(message.url ?? ''))
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'robots.txt'), 'robots')
  writeFileSync(join(directory, '.env'), 'SECRET')
  writeFileSync(join(directory, 'assets', 'a.css'), 'a{}')
  web = await startWeb({ workers: 1 })
  await serveHosts(
    web,
    'p',
    `[[virtualhost]]
domain = "p.test"
root = "${directory}"
htaccess = true
rewrites = [
  { pattern = "^/v1/(.*)$", target = "backend://api/$1?from=v1", flags = "P,QSA" },
  { pattern = "^/up$", target = "backend://api/../x", flags = "P" },
]
rules = '''
Header set X-Ruled yes
RequestHeader set X-Given by-rules
<If "%{REQUEST_URI} =~ m#^/closed#">
  Require all denied
</If>
RewriteEngine On
RewriteCond %{REQUEST_URI} "^/(?:main|deep/main)/(.*)$"
RewriteRule ^ backend://proxy/%1 [P]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_URI} !^/own
RewriteRule ^ backend://web [P]
'''
[virtualhost.proxy]
upstream = "http://127.0.0.1:${apps.get('main')?.port ?? 0}"
paths = ["/direct"]
${backend('api')}${backend('web')}${backend('stream', 'paths = ["/direct/stream", "/streaming"]\nexcept = ["/streaming/off"]')}`,
  )
  mkdirSync(join(directory, 'own'))
  writeFileSync(
    join(directory, 'own', '.htaccess'),
    'RewriteEngine On\nRewriteRule ^passed backend://web/secret [P]\nRewriteRule ^led backend://web/secret [R]\n',
  )
})
afterAll(async () => {
  await web?.remove()
  sockets?.close()
  for (const app of apps.values()) await app.close()
})

describe('backends: several applications of one site', () => {
  test.each([
    ['/v1/users', 'api GET /users?from=v1'],
    ['/v1/a%20b/%C3%BC?x=1', 'api GET /a%20b/%C3%BC?from=v1&x=1'],
    ['/direct/x', 'main GET /direct/x'],
    ['/direct/stream/x', 'stream GET /direct/stream/x'],
    ['/direct/streams', 'main GET /direct/streams'],
    ['/streaming', 'stream GET /streaming'],
    ['/streaming/off/x?y', 'web GET /streaming/off/x?y'],
    ['/main/page', 'main GET /page'],
    ['/deep/main/', 'main GET /'],
    ['/', 'web GET /'],
    ['/some/page?x=1', 'web GET /some/page?x=1'],
    ['/assets', 'web GET /assets'],
    ['/a%3Fb//c%25?d', 'web GET /a%3Fb//c%25?d'],
    ['/.env.example', 'web GET /.env.example'],
    ['/robots.txt', 'robots'],
    ['/assets/a.css', 'a{}'],
  ])('%s', async (target, text) => {
    const answer = await ask(web.port, target)
    expect([answer.status, answer.text]).toEqual([200, text])
    expect(answer.headers['x-ruled'] ?? 'none').toBe('yes')
  })

  test('are asked with bodies, and their pages are stored by the address that was asked for', async () => {
    const posted = await ask(web.port, '/v1/users', { method: 'POST', body: 'x' })
    expect(posted.text).toBe('api POST /users?from=v1')
    expect((await ask(web.port, '/stored')).headers['x-cache']).toBe('MISS')
    expect((await ask(web.port, '/stored')).headers['x-cache']).toBe('HIT')
    // One path of two applications is two pages.
    expect((await ask(web.port, '/main/stored')).text).toBe('main GET /stored')
    expect((await ask(web.port, '/stored')).text).toBe('web GET /stored')
  })

  test('are behind rules of access, and no way out of the site', async () => {
    expect((await ask(web.port, '/closed/x')).status).toBe(403)
    // A hidden file that is there is none of a site, whoever would be asked for others.
    expect((await ask(web.port, '/.env')).status).toBe(404)
    expect((await ask(web.port, '/up')).status).toBe(400)
  })

  test('are nothing that an .htaccess could pass on to', async () => {
    expect((await ask(web.port, '/own/passed')).status).toBe(403)
    expect((await ask(web.port, '/own/led')).headers.location).toBe('backend://web/secret')
  })

  test('take WebSockets where rules pass them on', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${web.port}/chat?room=1`, {
      headers: { host: 'p.test' },
    })
    const [url] = (await once(socket, 'message')) as [Buffer]
    expect(String(url)).toBe('/chat?room=1')
    socket.terminate()
  })
})
