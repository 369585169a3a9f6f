import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { startInstance } from '../support/instance.ts'
import { launchBrowser } from '../ui/support/open-browser.ts'

/** A page that talks to its server over a WebSocket and an event stream. */
const PAGE = `<!doctype html><title>chat</title><p id="ws"></p><p id="sse"></p><script>
const url = new URL('/live', location.href)
url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
const socket = new WebSocket(url)
socket.onopen = () => socket.send('hello ' + 'x'.repeat(100000))
socket.onmessage = ({ data }) => { document.querySelector('#ws').textContent = data }
new EventSource('/events').onmessage = ({ data }) => {
  document.querySelector('#sse').textContent = data
}
</script>`

test('an application with WebSockets is served behind a whole instance to a browser', async () => {
  const app = createServer((message, out) => {
    if (message.url === '/events') {
      out.writeHead(200, { 'content-type': 'text/event-stream' })
      out.write('data: an event\n\n')
    } else {
      out.setHeader('content-type', 'text/html')
      out.end(PAGE)
    }
  })
  const sockets = new WebSocketServer({ server: app, path: '/live' })
  sockets.on('connection', (socket, message) => {
    socket.on('message', (data) => {
      const { host, origin } = message.headers
      socket.send(`${String(data).length} bytes, ${new URL(origin ?? '').host === host}`)
    })
  })
  app.listen(0, '127.0.0.1')
  await once(app, 'listening')
  const { port } = app.address() as AddressInfo
  const instance = await startInstance({
    append: `[[virtualhost]]\ndomain = "localhost"\n[virtualhost.proxy]\nupstream = "http://127.0.0.1:${port}"\n`,
  })
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    for (const origin of [
      `http://localhost:${instance.webPort}`,
      `https://localhost:${instance.webSslPort}`,
    ]) {
      const page = await context.newPage()
      await page.goto(origin)
      await page.locator('#ws', { hasText: '100006 bytes, true' }).waitFor({ timeout: 30_000 })
      await page.locator('#sse', { hasText: 'an event' }).waitFor({ timeout: 30_000 })
      expect(await page.title()).toBe('chat')
      await page.close()
    }
  } finally {
    await browser.close()
    await instance.stop()
    for (const socket of sockets.clients) socket.terminate()
    app.closeAllConnections()
    app.close()
  }
})
