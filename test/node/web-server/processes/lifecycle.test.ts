import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { get } from '../support/get.ts'
import { phpHost, startPhpSite, type PhpSite } from '../support/php-site.ts'
import { RawClient, splitResponses } from '../support/raw-client.ts'
import { editConfig, startLoad } from '../support/static-web.ts'
import { eventually, isAlive } from '../support/web-process.ts'
import { shareStaticWeb, web } from '../support/shared-web.ts'

const BIG_BYTES = 20_000_000
/** After this a client that reads nothing is ended, and with it a drain that waits for nothing else. */
const STALL_MS = 60_000
const UPLOAD = '<?php echo strlen(file_get_contents("php://input"));'
const SLOW = '<?php usleep(2500000); echo "slept";'

let php: PhpSite | null = null
shareStaticWeb()
afterEach(async () => {
  await php?.stop()
  php = null
})

const restart = async (): Promise<void> => {
  expect(await web.control('POST', '/restart')).toMatchObject({ status: 200 })
}

/** It may have ended since it was seen. */
const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' })
  }
}

/** Reads `/big.bin` a little at a time; resolves with the bytes of the body. */
const download = async (port: number): Promise<number> => {
  const client = new RawClient(port, { paused: true })
  client.write('GET /big.bin HTTP/1.1\r\nHost: m.test\r\nConnection: close\r\n\r\n')
  let received = 0
  client.socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    client.socket.pause()
    setTimeout(() => client.socket.resume(), 5)
  })
  await client.closed
  return received
}

/** Sends a body in pieces; resolves with what PHP counted. */
const upload = async (port: number, pieces: number): Promise<string> => {
  const client = new RawClient(port)
  const piece = 'u'.repeat(10_000)
  client.write(
    `POST /upload.php HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\nContent-Length: ${pieces * piece.length}\r\n\r\n`,
  )
  for (let i = 0; i < pieces; i++) {
    client.write(piece)
    await sleep(20)
  }
  await client.closed
  return splitResponses(client.text)[0]?.body ?? ''
}

describe('the replacement of all workers', () => {
  it('breaks off nothing: kept and new connections, a download, a slow script, an upload', async () => {
    php = await startPhpSite(web.directory)
    writeFileSync(join(php.root, 'upload.php'), UPLOAD)
    writeFileSync(join(php.root, 'slow.php'), SLOW)
    web.writeHosts('php', phpHost(php, 'p.test'))
    await web.control('POST', '/reload')
    const before = web.workers()
    const load = startLoad(web)
    const downloaded = download(web.port)
    const slept = get(web.port, 'p.test', '/slow.php')
    const uploaded = upload(web.port, 100)
    await sleep(200)
    await restart()
    await restart()
    expect(await slept).toMatchObject({ status: 200, body: 'slept' })
    expect(await uploaded).toBe('1000000')
    expect(await downloaded).toBeGreaterThan(BIG_BYTES)
    await eventually('old workers are gone', () => !before.some(isAlive))
    const { requests, failures } = await load.stop()
    expect(failures).toEqual([])
    expect(requests).toBeGreaterThan(20)
  })

  it('succeeds when a new worker is killed while it starts', async () => {
    const old = web.workers()
    const restarted = web.control('POST', '/restart')
    let victim: number | undefined
    await eventually('a new worker starts', () => {
      victim = web.workers().find((pid) => !old.includes(pid))
      return victim !== undefined
    })
    killIfThere(victim ?? 0)
    expect(await restarted).toMatchObject({ status: 200, body: { workers: 2 } })
    await eventually('it says so', () => web.output().includes('killed while it started'))
    await eventually('only new ones', () => !old.some(isAlive))
    expect(web.workers()).toHaveLength(2)
    expect((await get(web.port, 'm.test')).status).toBe(200)
  })

  it('is refused, and the old workers stay, when every new one is killed', async () => {
    const old = web.workers()
    let answered = false
    const restarted = web.control('POST', '/restart').finally(() => (answered = true))
    await eventually('answered', () => {
      for (const pid of web.workers()) if (!old.includes(pid)) killIfThere(pid)
      return answered
    })
    expect(await restarted).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('SIGKILL') },
    })
    await eventually('old ones alone', () => web.workers().length === 2)
    expect(web.workers().sort()).toEqual(old.sort())
    expect((await get(web.port, 'm.test')).status).toBe(200)
    // And the next one works.
    await restart()
  })

  it('lets no counter fall', async () => {
    const count = async (): Promise<number> =>
      ((await web.control('GET', '/status')).body as { requests: number }).requests
    for (let i = 0; i < 20; i++) await get(web.port, 'm.test')
    const before = await count()
    expect(before).toBeGreaterThanOrEqual(20)
    const old = web.workers()
    await restart()
    expect(await count()).toBeGreaterThanOrEqual(before)
    await eventually('old workers are gone', () => !old.some(isAlive))
    expect(await count()).toBeGreaterThanOrEqual(before)
    for (const pid of web.workers()) killIfThere(pid)
    await eventually('new ones serve', async () => {
      const { body } = await web.control('GET', '/status')
      return (body as { workers: number }).workers === 2
    })
    expect(await count()).toBeGreaterThanOrEqual(before)
  })
})

describe('a worker that is killed', () => {
  it("breaks no connection of another's", async () => {
    const groups = await connectionsPerWorker(web, 'm.test', 4)
    const workers = web.workers()
    const [doomed = [], safe = []] = groups
    const answers = safe.map(async (one) => {
      for (let i = 0; i < 40; i++) {
        expect((await one.get(`/?${i}`)).status).toBe(200)
        await sleep(5)
      }
    })
    process.kill(workers[0] ?? 0, 'SIGKILL')
    await Promise.all(answers)
    for (const one of doomed) await expect(one.get('/')).rejects.toThrow('broke')
    closeAll(groups)
    await eventually('replaced', () => web.workers().length === 2)
  })
})

describe('signals', () => {
  it('SIGHUP takes up settings of the server too', async () => {
    editConfig(web, /workers = 2/, 'workers = 3')
    process.kill(web.pid, 'SIGHUP')
    await eventually(
      'three serve',
      async () => {
        const { body } = await web.control('GET', '/status')
        return (body as { workers: number }).workers === 3
      },
      15_000,
    )
  })

  it('SIGUSR1 makes all processes go on in new logs', async () => {
    const names = ['access.log', 'error.log', 'php_error.log']
    const log = (name: string): string => join(web.directory, 'log/web', name)
    for (const name of names) renameSync(log(name), `${log(name)}.old`)
    process.kill(web.pid, 'SIGUSR1')
    await eventually('all are there', () => names.every((name) => existsSync(log(name))))
  })

  it('a second SIGTERM ends what drains', async () => {
    const client = new RawClient(web.port, { paused: true })
    client.write('GET /big.bin HTTP/1.1\r\nHost: m.test\r\n\r\n')
    await new Promise((resolve) => client.socket.once('readable', resolve))
    const workers = web.workers()
    const ended = web.end('SIGTERM')
    await eventually('it drains', () =>
      web.control('GET', '/status').then(
        () => false,
        () => true,
      ),
    )
    expect(workers.some(isAlive)).toBe(true)
    // Closer together the two would be one signal that came twice.
    await sleep(200)
    process.kill(web.pid, 'SIGTERM')
    const tooLate = setTimeout(() => process.kill(web.pid, 'SIGKILL'), STALL_MS / 2)
    expect(await ended).toBe(0)
    clearTimeout(tooLate)
    expect(workers.some(isAlive)).toBe(false)
    client.destroy()
  })
})
