import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, createGunzip, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  proxyToml,
  startApp,
  type App,
  type RunningApp,
} from '#test/node/proxy/support/proxied-web.ts'
import { askBytes, type BytesResponse } from '../support/ask-bytes.ts'
import { startLoneWorker, type LoneWorker } from '../support/lone-worker.ts'
import { phpHost, startPhpSite, type PhpSite } from '../support/php-site.ts'
import { WAYS } from '../support/ways.ts'
import { eventually } from '../support/web-process.ts'

const WORDS = 'Some words that can be said in fewer bytes, as words mostly can. '
const TEXT = WORDS.repeat(100)
const LONG = WORDS.repeat(40_000)
const LONG_AGO = new Date('2026-01-02T03:04:05Z')
const html = { 'content-type': 'text/html; charset=utf-8' }

/** What the application answers each path with. */
const ANSWERS: Record<string, [headers: Record<string, string>, body: string | Buffer]> = {
  '/page': [{ ...html, etag: '"v1"', 'accept-ranges': 'bytes' }, TEXT],
  '/weak': [{ ...html, etag: 'W/"v1"', vary: 'Cookie' }, TEXT],
  '/json': [{ 'content-type': 'application/json' }, TEXT],
  '/problem': [{ 'content-type': 'application/problem+json' }, TEXT],
  '/tiny': [html, 'tiny'],
  '/coded': [{ ...html, 'content-encoding': 'gzip' }, gzipSync(TEXT)],
  '/identity': [{ ...html, 'content-encoding': 'identity' }, TEXT],
  '/kept': [{ ...html, 'cache-control': 'private, No-Transform' }, TEXT],
  '/digest': [{ ...html, 'repr-digest': 'sha-256=:AAAA:' }, TEXT],
  '/image': [{ 'content-type': 'image/png' }, TEXT],
  '/font': [{ 'content-type': 'font/ttf' }, TEXT],
  '/events': [{ 'content-type': 'text/event-stream' }, TEXT],
  '/part': [{ ...html, 'content-range': 'bytes 0-99/1000' }, TEXT],
}
const answered: App = (message, out) => {
  const [headers, body] = ANSWERS[message.url ?? ''] ?? [html, TEXT]
  const status = message.url === '/part' ? 206 : message.url === '/gone' ? 410 : 200
  out.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
  out.end(body)
}

/** Says the first words, and the last ones once the file `go` is there. */
const IN_TWO = `<?php
header('Content-Type: text/html');
header('Cache-Control: no-store');
while (ob_get_level() > 0) ob_end_flush();
echo 'first words';
flush();
for ($i = 0; $i < 10000 && !is_file(__DIR__ . '/../go'); $i++) { usleep(2000); clearstatcache(); }
echo is_file(__DIR__ . '/../go') ? ', last words' : ', in vain';
`

let app: RunningApp
let php: PhpSite
let phpDirectory: string
let worker: LoneWorker

/** Writes a file of the site, long ago. */
const plant = (directory: string, name: string, content: string | Buffer, at = LONG_AGO): void => {
  const path = join(directory, 'home/f', name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, at, at)
}

beforeAll(async () => {
  app = await startApp(answered)
  phpDirectory = mkdtempSync(join(tmpdir(), 'berth-coded-'))
  php = await startPhpSite(phpDirectory)
  writeFileSync(
    join(php.root, 'words.php'),
    `<?php echo str_repeat('${WORDS}', $_GET['n'] ?? 100);`,
  )
  writeFileSync(join(php.root, 'two.php'), IN_TWO)
  worker = await startLoneWorker(
    (directory) =>
      [
        proxyToml('p.test', app.port, '', '[virtualhost.cache]\nenable = false'),
        proxyToml('c.test', app.port),
        phpHost(php, 'php.test'),
        proxyToml('h.test', app.port, '', '[virtualhost.cache]\nmode = "http"'),
        proxyToml(
          'r.test',
          app.port,
          '',
          "rules = '''\nAddOutputFilterByType DEFLATE text/html font/ttf\n<If \"%{QUERY_STRING} == 'no-br'\">\nSetEnv no-brotli 1\n</If>\n'''",
        ),
        proxyToml('n.test', app.port, '', "rules = '''\nSetEnv no-gzip 1\n'''"),
        `[[virtualhost]]\ndomain = "f.test"\nroot = "${directory}/home/f"\nhtaccess = true\n[virtualhost.php]\nenable = false\n`,
      ].join('\n'),
    (directory) => {
      plant(directory, 'style.css', TEXT)
      plant(directory, 'index.html', TEXT)
      plant(directory, 'small.css', 'a{}')
      plant(directory, 'image.png', TEXT)
      plant(directory, 'long.txt', LONG)
      plant(directory, 'lib.js', TEXT)
      plant(directory, 'lib.js.br', brotliCompressSync('made beforehand'))
      plant(directory, 'lib.js.gz', gzipSync('made beforehand, too'))
      plant(directory, 'old.js', TEXT)
      plant(directory, 'old.js.br', brotliCompressSync('of an older edition'), new Date(0))
      plant(directory, 'plain/style.css', TEXT)
      plant(directory, 'plain/index.html', TEXT)
      plant(directory, 'plain/.htaccess', 'SetEnv no-gzip 1\n')
      plant(directory, 'fonts/a.ttf', TEXT)
      plant(directory, 'fonts/b.otf', TEXT)
      plant(
        directory,
        'fonts/.htaccess',
        '<IfModule mod_deflate.c>\nAddOutputFilterByType DEFLATE font/ttf\n</IfModule>\n',
      )
      plant(directory, 'all/b.otf', TEXT)
      plant(
        directory,
        'all/.htaccess',
        'SetOutputFilter DEFLATE\nSetEnvIfNoCase Request_URI \\.png$ no-gzip dont-vary\n',
      )
      plant(directory, 'all/a.png', TEXT)
    },
  )
})
afterAll(async () => {
  await worker?.remove()
  await app?.close()
  await php?.stop()
  if (phpDirectory) rmSync(phpDirectory, { recursive: true, force: true })
})

const ask = (
  host: string,
  path: string,
  codings: string | null = 'gzip, deflate, br, zstd',
  fields: Record<string, string> = {},
  options: Parameters<typeof askBytes>[4] = {},
): Promise<BytesResponse> =>
  askBytes(
    worker.port,
    host,
    path,
    { ...(codings === null ? {} : { 'accept-encoding': codings }), ...fields },
    options,
  )

const shape = ({ status, headers, text }: BytesResponse) => ({
  status,
  coding: headers['content-encoding'] ?? null,
  vary: headers.vary ?? null,
  text,
})
const coded = (coding: string, text = TEXT) => ({
  ...{ status: 200, coding, vary: 'Accept-Encoding', text },
})
const plain = (vary: string | null, text = TEXT) => ({ status: 200, coding: null, vary, text })

describe('answers of applications that are not stored', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0, br;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['zstd', null],
    [null, null],
  ])('are in the coding that suits the client: %s', async (field, coding) => {
    const answer = await ask('p.test', '/page', field)
    expect(shape(answer)).toEqual({ ...plain('Accept-Encoding'), coding })
    const { headers } = answer
    expect(headers.etag).toBe(coding === null ? '"v1"' : 'W/"v1"')
    expect(headers['accept-ranges']).toBe(coding === null ? 'bytes' : undefined)
    if (coding === null) expect(headers['content-length']).toBe(String(TEXT.length))
    else expect(answer.body.length).toBeLessThan(TEXT.length / 4)
  })

  it('are text of every kind and status, with what they vary by beside', async () => {
    for (const path of ['/json', '/problem', '/other'])
      expect(shape(await ask('p.test', path))).toEqual(coded('br'))
    expect(shape(await ask('p.test', '/gone'))).toEqual({ ...coded('br'), status: 410 })
    const weak = await ask('p.test', '/weak')
    expect([weak.headers.vary, weak.headers.etag]).toEqual(['Cookie, Accept-Encoding', 'W/"v1"'])
  })

  it.each(['/tiny', '/kept', '/digest', '/image', '/font', '/events'])(
    'stay as they are: %s',
    async (path) => {
      const { headers, body } = await ask('p.test', path)
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
      expect(body.toString()).toBe(ANSWERS[path]?.[1])
    },
  )

  it('are never coded twice, nor in part', async () => {
    const twice = await ask('p.test', '/coded')
    expect([twice.headers['content-encoding'], twice.text]).toEqual(['gzip', TEXT])
    expect((await ask('p.test', '/identity')).headers['content-encoding']).toBe('identity')
    expect((await ask('p.test', '/part')).headers['content-encoding']).toBeUndefined()
    const range = await ask('p.test', '/page', 'gzip', { range: 'bytes=0-9' })
    expect(shape(range)).toEqual(plain('Accept-Encoding'))
  })

  it('have the same fields when only those are asked for', async () => {
    const { headers, body } = await ask('p.test', '/page', 'gzip', {}, { method: 'HEAD' })
    expect(body.length).toBe(0)
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect([headers.etag, headers['content-length']]).toEqual(['W/"v1"', undefined])
  })

  it('go out as far as their origin has got, piece by piece', async () => {
    for (const coding of ['gzip', 'br']) {
      let next: (() => void) | null = null
      let seen = 0
      const pieces = ['first ', 'second ', 'third']
      app.answer((_, out) => {
        out.writeHead(200, html)
        const send = (at: number): void => {
          out.write(pieces[at])
          next = at + 1 < pieces.length ? () => send(at + 1) : () => out.end()
        }
        send(0)
      })
      try {
        const { text } = await ask(
          'p.test',
          '/pieces',
          coding,
          {},
          {
            // Each comes only after the one before has arrived.
            onPiece: () => {
              seen++
              const go = next
              next = null
              go?.()
            },
          },
        )
        expect(text).toBe(pieces.join(''))
        expect(seen).toBeGreaterThanOrEqual(pieces.length)
      } finally {
        app.answer(answered)
      }
    }
  })

  it('break off where their origin does, behind what came before', async () => {
    app.answer((_, out) => {
      out.writeHead(200, { ...html, 'content-length': TEXT.length * 2 })
      out.write(TEXT, () => out.destroy())
    })
    try {
      const pieces: Buffer[] = []
      const asked = ask('p.test', '/cut', 'gzip', {}, { onPiece: (piece) => pieces.push(piece) })
      await expect(asked).rejects.toThrow()
      const gunzip = createGunzip()
      let text = ''
      gunzip.on('data', (piece: Buffer) => (text += piece.toString()))
      gunzip.on('error', () => undefined)
      await new Promise<void>((resolve) => gunzip.write(Buffer.concat(pieces), () => resolve()))
      gunzip.destroy()
      expect(text).toBe(TEXT)
    } finally {
      app.answer(answered)
    }
  })

  it('are coded on the way past the page cache too, which keeps them as they came', async () => {
    const miss = await ask('c.test', '/page')
    expect([miss.headers['x-cache'], shape(miss)]).toEqual(['MISS', coded('br')])
    const hit = await ask('c.test', '/page', null)
    expect([hit.headers['x-cache'], hit.headers.etag, hit.text]).toEqual(['HIT', '"v1"', TEXT])
  })

  it('are coded in http mode, whether stored or not', async () => {
    ANSWERS['/hour'] = [{ ...html, 'cache-control': 'max-age=3600', etag: '"h"' }, TEXT]
    for (const xCache of ['MISS', 'HIT', 'HIT']) {
      const answer = await ask('h.test', '/hour')
      expect([answer.headers['x-cache'], shape(answer)]).toEqual([xCache, coded('br')])
    }
    const again = await ask('h.test', '/hour', 'br', { 'if-none-match': 'W/"h"' })
    expect(again.status).toBe(304)
  })

  it('are kept as they are by the rules of the site, or coded beyond what is text', async () => {
    expect(shape(await ask('n.test', '/page'))).toEqual(plain(null))
    expect(shape(await ask('r.test', '/font'))).toEqual(coded('br'))
    expect(shape(await ask('r.test', '/image'))).toEqual(plain(null))
    expect(shape(await ask('r.test', '/json?no-br'))).toEqual(coded('gzip'))
    // A stored page is never coded either.
    for (let i = 0; i < 20; i++)
      expect((await ask('n.test', '/page')).headers['content-encoding']).toBeUndefined()
  })
})

describe('answers of PHP', () => {
  it('are coded, whole or in pieces, stored or not', async () => {
    for (const path of ['/words.php', '/words.php?n=100', '/words.php?n=500']) {
      const { text } = await ask('php.test', path, null)
      expect(shape(await ask('php.test', `${path}&x`.replace('.php&', '.php?'), 'gzip'))).toEqual(
        coded('gzip', text),
      )
    }
    const { headers, text } = await ask('php.test', '/words.php?n=5', 'gzip')
    expect([headers['content-encoding'], text]).toEqual([undefined, WORDS.repeat(5)])
    const long = await ask('php.test', '/words.php?n=40000', 'br')
    expect(shape(long)).toEqual(coded('br', LONG))
    const posted = await ask('php.test', '/words.php', 'br', {}, { method: 'POST' })
    expect(shape(posted)).toEqual(coded('br'))
  })

  it('go out when the script flushes', async () => {
    const answer = await ask(
      'php.test',
      '/two.php',
      'gzip',
      {},
      {
        onPiece: () => writeFileSync(join(php.root, '../go'), ''),
      },
    )
    expect(shape(answer)).toEqual(coded('gzip', 'first words, last words'))
  })
})

describe('files', () => {
  it.each(['br', 'gzip'])(
    'are sent in a coding, from memory the second time: %s',
    async (coding) => {
      const first = await ask('f.test', '/style.css', coding)
      expect(shape(first)).toEqual(coded(coding))
      expect(first.headers['content-length']).toBe(String(first.body.length))
      expect(first.headers.etag).toMatch(/^W\/"/)
      const second = await ask('f.test', '/style.css', coding)
      expect(second.body).toEqual(first.body)
      const { etag = '' } = first.headers
      const known = await ask('f.test', '/style.css', coding, { 'if-none-match': etag })
      expect([known.status, known.headers.etag, known.headers.vary]).toEqual([
        304,
        etag,
        'Accept-Encoding',
      ])
      // The plain file has the strong one.
      const whole = await ask('f.test', '/style.css', null)
      expect([shape(whole), whole.headers.etag]).toEqual([
        plain('Accept-Encoding'),
        etag.replace('W/', ''),
      ])
      const part = await ask('f.test', '/style.css', coding, { range: 'bytes=0-3' })
      expect([part.status, part.text]).toEqual([206, TEXT.slice(0, 4)])
    },
  )

  it('are the same by all ways, hot ones too', async () => {
    for (const field of ['br, gzip', 'gzip', 'identity', '']) {
      const fields = field === '' ? {} : { 'accept-encoding': field }
      const asked = { host: 'f.test', path: '/style.css', fields }
      const told = await Promise.all(WAYS.map((way) => way.ask(worker, asked)))
      for (const { status, headers } of told)
        expect({ status, headers }).toEqual({ status: 200, headers: told[0]?.headers })
    }
  })

  it('are as they are when small, no text, or forbidden by rules', async () => {
    expect(shape(await ask('f.test', '/small.css'))).toEqual(plain(null, 'a{}'))
    expect(shape(await ask('f.test', '/image.png'))).toEqual(plain(null))
    expect(shape(await ask('f.test', '/plain/style.css'))).toEqual(plain(null))
    expect(shape(await ask('f.test', '/fonts/b.otf'))).toEqual(plain(null))
    expect(shape(await ask('f.test', '/fonts/a.ttf'))).toEqual(coded('br'))
    expect(shape(await ask('f.test', '/all/b.otf'))).toEqual(coded('br'))
    expect(shape(await ask('f.test', '/all/a.png'))).toEqual(plain(null))
  })

  it('are seen when they change, in every coding', async () => {
    await ask('f.test', '/style.css', 'br')
    plant(worker.directory, 'style.css', TEXT.toUpperCase())
    for (const coding of ['br', 'gzip'])
      await eventually(`the new file in ${coding}`, async () => {
        const { text } = await ask('f.test', '/style.css', coding)
        return text === TEXT.toUpperCase()
      })
    plant(worker.directory, 'style.css', TEXT)
  })

  it('have their coded form beside them used, where it is not older', async () => {
    expect(shape(await ask('f.test', '/lib.js'))).toEqual(coded('br', 'made beforehand'))
    const gzip = await ask('f.test', '/lib.js', 'gzip')
    expect(shape(gzip)).toEqual(coded('gzip', 'made beforehand, too'))
    expect(gzip.headers.etag).toMatch(/^W\/"/)
    expect(shape(await ask('f.test', '/lib.js', null))).toEqual(plain('Accept-Encoding'))
    expect(shape(await ask('f.test', '/old.js'))).toEqual(coded('br'))
    rmSync(join(worker.directory, 'home/f/lib.js.br'))
    await eventually('the gzip form is used', async () => {
      const { headers } = await ask('f.test', '/lib.js')
      return headers['content-encoding'] === 'gzip'
    })
  })

  it('are coded while they are sent when they are long', async () => {
    for (const coding of ['br', 'gzip']) {
      const answer = await ask('f.test', '/long.txt', coding)
      expect(shape(answer)).toEqual(coded(coding, LONG))
      expect(answer.headers['content-length']).toBeUndefined()
    }
  })

  it('are never coded as stored pages where rules forbid it', async () => {
    await ask('f.test', '/plain/')
    await eventually('another page has its codings', async () => {
      const { headers } = await ask('f.test', '/')
      return headers['x-cache'] === 'HIT' && headers['content-encoding'] === 'br'
    })
    const { headers } = await ask('f.test', '/plain/')
    expect([headers['x-cache'], headers['content-encoding'], headers.vary]).toEqual([
      'HIT',
      undefined,
      undefined,
    ])
  })
})
