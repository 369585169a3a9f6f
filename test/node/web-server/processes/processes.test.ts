import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { get } from '../support/get.ts'
import { RawClient } from '../support/raw-client.ts'
import { editConfig, startLoad } from '../support/static-web.ts'
import { eventually, isAlive } from '../support/web-process.ts'
import { shareStaticWeb, web } from '../support/shared-web.ts'

shareStaticWeb()

describe('processes', () => {
  // First: nobody has asked the processes that just started.
  it('tell by how much each was held up since they were asked', async () => {
    const ask = async (): Promise<number[]> => {
      const { body } = await web.control('GET', '/stalls')
      const { workers } = body as { workers: { longest_ms: number }[] }
      return workers.map(({ longest_ms }) => longest_ms).sort((a, b) => b - a)
    }
    expect(await ask()).toEqual([0, 0])
    const [victim = 0] = web.workers()
    process.kill(victim, 'SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 900))
    process.kill(victim, 'SIGCONT')
    const [held = 0, other = 0] = await ask()
    expect(held).toBeGreaterThan(850)
    expect(other).toBeGreaterThan(0)
    expect(other).toBeLessThan(held)
    expect(Math.max(...(await ask()))).toBeLessThan(held)
  })

  it('replace a worker that was killed, while the others go on', async () => {
    const running = startLoad(web)
    const [victim = 0] = web.workers()
    process.kill(victim, 'SIGKILL')
    await eventually('two workers', () => {
      const workers = web.workers()
      return workers.length === 2 && !workers.includes(victim)
    })
    const { failures } = await running.stop()
    // Only what the killed one had in hand is lost.
    expect(failures.length).toBeLessThanOrEqual(4)
    await eventually('all serve', async () => {
      const { body } = await web.control('GET', '/status')
      return JSON.stringify(body).includes('"workers":2')
    })
  })

  it('leave no orphan when the primary is killed', async () => {
    const workers = web.workers()
    await web.end('SIGKILL')
    await eventually('workers are gone', () => !workers.some(isAlive))
    await web.startAgain()
    expect((await get(web.port, 'm.test')).status).toBe(200)
  })

  it('finish on SIGTERM what they have begun', async () => {
    const client = new RawClient(web.port, { paused: true })
    client.write('GET /big.bin HTTP/1.1\r\nHost: m.test\r\n\r\n')
    let received = 0
    await new Promise((resolve) => client.socket.once('readable', resolve))
    const ending = web.end('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    client.socket.on('data', (chunk: Buffer) => (received += chunk.length))
    await client.closed
    expect(received).toBeGreaterThan(20_000_000)
    expect(await ending).toBe(0)
  })

  it('say what is wrong when they cannot start', async () => {
    await web.end()
    editConfig(web, /workers = 2/, 'workers = "many"')
    await expect(web.startAgain()).rejects.toThrow(/berth\.toml:\d+: server\.workers/)
  })

  it('write on in a new file after the log was rotated', async () => {
    const file = join(web.directory, 'log/web/access.log')
    await get(web.port, 'm.test', '/', 'User-Agent: first\r\n')
    await eventually('logged', () => readFileSync(file, 'utf8').includes('first'))
    renameSync(file, `${file}.1`)
    process.kill(web.pid, 'SIGUSR1')
    await eventually('reopened', async () => {
      await get(web.port, 'm.test', '/', 'User-Agent: second\r\n')
      try {
        return readFileSync(file, 'utf8').includes('second')
      } catch {
        return false
      }
    })
  })
})
