import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { shareWeb, web } from '#test/node/web-server/support/shared-web.ts'
import { startDavServer, type DavServer } from './support/dav-server.ts'
import { proxyToml, serveHosts } from './support/proxied-web.ts'

let server: DavServer
shareWeb({ workers: 1 })
beforeAll(async () => {
  server = await startDavServer(web.directory)
  await serveHosts(web, 'dav', proxyToml('localhost', server.port))
})
afterAll(async () => {
  await server?.stop()
})

/** What cadaver says to commands, one a line, as somebody would type them. */
const cadaver = (...commands: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const client = spawn('cadaver', ['-t', `http://localhost:${web.port}/`], {
      cwd: web.directory,
      env: { ...CLEAN_ENV, HOME: web.directory, PAGER: 'cat' },
    })
    let said = ''
    for (const stream of [client.stdout, client.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    client.on('error', reject)
    client.on('close', () => resolve(said))
    client.stdin.end(`${commands.join('\n')}\nquit\n`)
  })
const stored = (...path: string[]): string => readFileSync(join(server.root, ...path), 'utf8')

describe('a WebDAV server behind the proxy and the page cache', () => {
  it('serves a real client: collections, files, copies, moves, properties, locks', async () => {
    writeFileSync(join(web.directory, 'own.txt'), 'own words')
    const made = await cadaver('mkcol letters', 'put own.txt letters/first.txt', 'ls letters')
    expect(made).toContain('first.txt')
    expect(stored('letters', 'first.txt')).toBe('own words')

    await cadaver('copy letters/first.txt letters/second.txt', 'move letters/first.txt third.txt')
    expect(readdirSync(join(server.root, 'letters'))).toEqual(['second.txt'])
    expect(stored('third.txt')).toBe('own words')

    const properties = await cadaver(
      'propset third.txt color green',
      'get third.txt back.txt',
      'propget third.txt color',
    )
    expect(properties).toMatch(/color.*green/s)
    expect(readFileSync(join(web.directory, 'back.txt'), 'utf8')).toBe('own words')

    const locked = await cadaver('lock third.txt', 'discover third.txt', 'unlock third.txt')
    expect(locked.match(/succeeded/g)?.length).toBeGreaterThanOrEqual(2)

    // What was changed shows at once, whatever the page cache had.
    writeFileSync(join(web.directory, 'own.txt'), 'other words')
    const seen = await cadaver('cat third.txt', 'put own.txt third.txt', 'cat third.txt')
    expect(seen.indexOf('own words')).toBeLessThan(seen.indexOf('other words'))
    await cadaver('delete third.txt', 'rmcol letters')
    expect(existsSync(join(server.root, 'third.txt'))).toBe(false)
    expect(existsSync(join(server.root, 'letters'))).toBe(false)

    const asked = new Set(server.asked().map((line) => line.split(' ', 1)[0]))
    expect([...asked]).toEqual(
      expect.arrayContaining([
        ...['OPTIONS', 'PROPFIND', 'PROPPATCH', 'MKCOL', 'PUT', 'GET', 'COPY', 'MOVE'],
        ...['LOCK', 'UNLOCK', 'DELETE'],
      ]),
    )
  })
})
