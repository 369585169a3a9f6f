import { constants } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { answerOf, H2Client, type H2Answer } from '../support/h2-client.ts'
import { siteToml } from '../support/static-web.ts'
import { eventually } from '../support/web-process.ts'
import { shareStaticWeb, web } from '../support/shared-web.ts'

shareStaticWeb()

/** Asks without a pause until told to stop; asks again what the server said it had not begun (RFC 9113 8.7). */
const startLoad = (paths: readonly string[]) => {
  let running = true
  let requests = 0
  let goodbyes = 0
  const failures: string[] = []
  const ask = async (client: H2Client, path: string): Promise<void> => {
    let answer: H2Answer
    try {
      answer = await client.get(path)
    } catch {
      // The connection was on its way out before the request began.
      return
    }
    if (answer.status === 0 && client.goneAway) {
      if (answer.code !== constants.NGHTTP2_REFUSED_STREAM) failures.push(`code ${answer.code}`)
      return
    }
    requests++
    const whole = answer.status === 200 && answer.code === 0
    if (!whole) failures.push(`${path}: status ${answer.status}, code ${answer.code}`)
  }
  const loop = async (path: string): Promise<void> => {
    while (running) {
      const client = await H2Client.open(web.sslPort, 'm.test')
      while (running && !client.goneAway && !client.session.closed) {
        await Promise.all([ask(client, path), ask(client, path), ask(client, `${path}?q`)])
      }
      if (client.goneAway) goodbyes++
      client.close()
    }
  }
  const all = paths.map(loop)
  return {
    stop: async () => {
      running = false
      await Promise.all(all)
      return { requests, goodbyes, failures }
    },
  }
}

describe('HTTP/2', () => {
  it('fails no stream while hosts change and workers are replaced', async () => {
    const load = startLoad(['/', '/', '/index.html'])
    // A download that is taken slowly, begun at an old worker.
    const slow = await H2Client.open(web.sslPort, 'm.test')
    const stream = slow.begin('/big.bin')
    const download = answerOf(stream)
    await new Promise((resolve) => stream.once('response', resolve))
    stream.pause()
    const before = web.workers()
    for (let i = 0; i < 3; i++) {
      web.writeHosts(`h${i}`, siteToml(web, `h${i}.test`))
      expect((await web.control('POST', '/reload')).status).toBe(200)
      expect((await web.control('POST', '/restart')).status).toBe(200)
    }
    await eventually('told', () => slow.goneAway)
    stream.resume()
    const { body, status, code } = await download
    expect([status, code, body.length]).toEqual([200, 0, 20_000_000])
    await eventually('replaced', () => !web.workers().some((pid) => before.includes(pid)))
    const { requests, goodbyes, failures } = await load.stop()
    expect(failures).toEqual([])
    expect(requests).toBeGreaterThan(20)
    expect(goodbyes).toBeGreaterThan(0)
    slow.close()
  })

  it('follows a reload on open connections', async () => {
    const client = await H2Client.open(web.sslPort, 'm.test')
    expect((await client.get('/')).status).toBe(200)
    web.writeHosts('main', siteToml(web, 'm.test', 'suspended = true'))
    await web.control('POST', '/reload')
    expect((await client.get('/')).status).toBe(503)
    web.removeHosts('main')
    await web.control('POST', '/reload')
    expect((await client.get('/')).status).toBe(404)
    client.close()
  })
})
