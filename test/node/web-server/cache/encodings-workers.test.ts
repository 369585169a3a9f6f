import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { get, KeptConnection } from '../support/get.ts'
import { phpHost } from '../support/php-site.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { eventually } from '../support/web-process.ts'
import { php, sharePhpSite } from '../support/shared-php-site.ts'
import { shareWeb, web } from '../support/shared-web.ts'

const SCRIPT = `<?php
file_put_contents(__DIR__ . '/../runs', 'x', FILE_APPEND | LOCK_EX);
header('Content-Type: text/html; charset=utf-8');
header('ETag: "p1"');
echo str_repeat("<p>Some text of a page.</p>\\n", 1500);
`
const BODY = '<p>Some text of a page.</p>\n'.repeat(1500)
/** Compressed by the script itself, whether asked for or not. */
const ZIPPED = `<?php
header('Content-Type: text/html; charset=utf-8');
header('Content-Encoding: gzip');
echo gzencode(str_repeat("<p>Some text of a page.</p>\\n", 1500));
`

sharePhpSite()
beforeAll(async () => {
  writeFileSync(join(php.root, 'text.php'), SCRIPT)
  writeFileSync(join(php.root, 'zipped.php'), ZIPPED)
  php.resetRuns()
})
shareWeb(() => ({ workers: 2, more: phpHost(php, 'p.test') }))

const decoded = ({ headers, body }: RawResponse): string => {
  const bytes = Buffer.from(body, 'latin1')
  if (headers['content-encoding'] === 'gzip') return gunzipSync(bytes).toString()
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes).toString()
  return bytes.toString()
}

/** Answers of every worker to the same requests: the others stand still meanwhile. */
const askEach = async (path: string, fields: string[]): Promise<RawResponse[][]> => {
  const workers = web.workers()
  const all: RawResponse[][] = []
  for (const accepting of workers) {
    for (const worker of workers) if (worker !== accepting) process.kill(worker, 'SIGSTOP')
    const connection = new KeptConnection(web.port, 'p.test')
    try {
      const answers = []
      for (const field of fields) {
        answers.push(await connection.get(path, `Accept-Encoding: ${field}\r\n`))
      }
      all.push(answers)
    } finally {
      connection.close()
      for (const worker of workers) process.kill(worker, 'SIGCONT')
    }
  }
  return all
}

const FIELDS = ['gzip, deflate, br', 'gzip', 'identity']

describe('codings over workers and restarts', () => {
  it('are made from one run of the script, for every worker, and outlive a restart', async () => {
    const first = new KeptConnection(web.port, 'p.test')
    const miss = await first.get('/text.php', 'Accept-Encoding: gzip, br\r\n')
    expect(miss.headers).toMatchObject({
      'x-cache': 'MISS',
      'content-encoding': 'br',
      etag: 'W/"p1"',
    })
    expect(decoded(miss)).toBe(BODY)
    first.close()
    await eventually('every worker has the encoded bodies', async () => {
      const answers = await askEach('/text.php', ['br'])
      return answers.every(([answer]) => answer?.headers['content-encoding'] === 'br')
    })
    const check = async (): Promise<void> => {
      for (const answers of await askEach('/text.php', FIELDS)) {
        expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([
          'br',
          'gzip',
          undefined,
        ])
        for (const answer of answers) {
          expect(decoded(answer)).toBe(BODY)
          expect(answer.complete).toBe(true)
          expect(answer.headers).toMatchObject({ 'x-cache': 'HIT', vary: 'Accept-Encoding' })
        }
        expect(answers.map(({ headers }) => headers['etag'])).toEqual(['W/"p1"', 'W/"p1"', '"p1"'])
      }
    }
    await check()
    await web.end()
    await web.startAgain()
    // The very first answer of each worker is a compressed hit.
    await check()
    expect(php.runs()).toBe(1)
  })

  it('come with the same headers on the fast path and on the general one', async () => {
    const connection = new KeptConnection(web.port, 'p.test')
    for (const codings of FIELDS) {
      for (const tag of ['', 'If-None-Match: W/"p1"\r\n']) {
        const fields = `Accept-Encoding: ${codings}\r\n${tag}`
        // What ends its connection is not answered from prebuilt bytes.
        const [hot, cold] = [
          await connection.get('/text.php', fields),
          await get(web.port, 'p.test', '/text.php', fields),
        ]
        const common = ({ headers, status, body }: RawResponse) => {
          const { connection: _, date: _date, age: _age, 'cache-status': state, ...rest } = headers
          return { status, body, rest, state: state?.split(';', 2) }
        }
        expect(common(hot)).toEqual(common(cold))
        expect(hot.status).toBe(tag === '' ? 200 : 304)
      }
    }
    connection.close()
  })

  it('of a script that compresses by itself go to those who accept them', async () => {
    const connection = new KeptConnection(web.port, 'p.test')
    const ask = (field: string): Promise<RawResponse> =>
      connection.get('/zipped.php', `Accept-Encoding: ${field}\r\n`)
    // A worker that is stopped while it fills a page would hold up the others.
    const everywhere = await connectionsPerWorker(web, 'p.test', 1)
    expect((await ask('gzip')).headers['x-cache']).toBe('MISS')
    await eventually('every worker has the page', async () => {
      const field = 'Accept-Encoding: gzip\r\n'
      const answers = await Promise.all(
        everywhere.flat().map((one) => one.get('/zipped.php', field)),
      )
      return answers.every(({ headers }) => headers['x-cache'] === 'HIT')
    })
    closeAll(everywhere)
    for (const answers of await askEach('/zipped.php', ['gzip', 'gzip'])) {
      for (const answer of answers) {
        expect(answer.headers).toMatchObject({ 'x-cache': 'HIT', vary: 'Accept-Encoding' })
        expect(decoded(answer)).toBe(BODY)
      }
    }
    const other = await ask('br')
    expect(other.headers).toMatchObject({
      'x-cache': 'MISS',
      'cache-status': 'berth; fwd=bypass; detail=encoding',
    })
    connection.close()
  })
})
