import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { createCoreSources } from '#adapters/node/agent/wordpress/sources/core-sources.ts'
import { coresIn } from '#adapters/node/wordpress-cores/core-store.ts'
import { getText } from '#adapters/node/wordpress-cores/official/get-bounded.ts'
import {
  askChecksums,
  askOffers,
  fetchCore,
} from '#adapters/node/wordpress-cores/official/official-cores.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { smallCore, zipOf } from '#test/support/small-core.ts'

type Answer = string | Buffer | ((response: ServerResponse) => void)

let server: Server
let origin: string
let state: string
/** What it answers, by path and query. */
const answers = new Map<string, Answer>()
const asked: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers.get(request.url ?? '')
    if (answer === undefined) response.writeHead(404).end()
    else if (typeof answer === 'function') answer(response)
    else response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  answers.clear()
  asked.length = 0
  state = join(temporaryDirectory(), 'state')
  mkdirSync(coresIn(state), { recursive: true })
  chmodSync(state, 0o755)
})

const place = () => ({ downloads: `${origin}/get/`, api: `${origin}/api`, allowPrivate: true })
const cores = () => coresIn(state)
const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex')
const LIST = '/api/core/version-check/1.7/'
/** As the list of versions is made, with more in it than is looked at. */
const listOf = (...offers: [version: string, locale: string][]): string =>
  JSON.stringify({
    offers: offers.map(([version, locale]) => ({
      ...{ response: 'upgrade', version, current: version, locale, php_version: '7.2.24' },
      download: 'http://elsewhere.example/evil.zip',
      packages: { full: 'http://elsewhere.example/evil.zip', partial: false },
    })),
    translations: [],
  })
const serve = (version: string, locale?: string): Buffer => {
  const bytes = zipOf(smallCore(version, locale))
  const path = `/get/release/${locale === undefined ? '' : `${locale}/`}wordpress-${version}.zip`
  answers.set(path, bytes)
  answers.set(`${path}.sha1`, sha1(bytes))
  return bytes
}
const endless = (response: ServerResponse): void => {
  const more = (): void => {
    while (response.write(Buffer.alloc(65_536, 'a')));
    response.once('drain', more)
  }
  more()
}
const redirect =
  (to: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(302, { location: to }).end()

describe('the versions that WordPress tells', () => {
  it('are those of its list, each once, in English and the wanted languages', async () => {
    answers.set(LIST, listOf(['6.5.2', 'en_US'], ['6.4.4', 'en_US'], ['6.5.2', 'en_US']))
    answers.set(`${LIST}?locale=de_DE`, listOf(['6.5.2', 'de_DE'], ['6.5.2', 'en_US']))
    expect(await askOffers(place(), ['de_DE'])).toEqual([
      { version: '6.5.2', locale: null },
      { version: '6.4.4', locale: null },
      { version: '6.5.2', locale: 'de_DE' },
    ])
  })

  it('are none where the list is none, and what is no version is left out', async () => {
    for (const text of ['', 'no', '{}', '{"offers":7}', '[]']) {
      answers.set(LIST, text)
      await expect(askOffers(place(), [])).rejects.toThrow(/no list of versions/)
    }
    answers.set(LIST, listOf(['../../6', 'en_US'], ['6.5', '../x'], ['6.5', 'en_US']))
    expect(await askOffers(place(), [])).toEqual([{ version: '6.5', locale: null }])
  })
})

describe('a version that is fetched', () => {
  it('is what its SHA-1 tells, and stored as from there', async () => {
    serve('6.5.2')
    const core = await fetchCore(place(), { version: '6.5.2', locale: null }, cores())
    expect(core).toMatchObject({ name: '6.5.2', origin: 'official', compared: true, key: null })
    expect(core.file).toBe(`${origin}/get/release/wordpress-6.5.2.zip`)
    serve('6.5.2', 'de_DE')
    const local = await fetchCore(place(), { version: '6.5.2', locale: 'de_DE' }, cores())
    expect(local.name).toBe('6.5.2-de_DE')
  })

  const path = '/get/release/wordpress-6.5.2.zip'
  test.each<[string, RegExp, () => unknown]>([
    [
      'is another one than its sum tells',
      /not what its SHA-1 tells/,
      () => answers.set(`${path}.sha1`, 'a'.repeat(40)),
    ],
    ['has no sum', /\.sha1 answers 404/, () => answers.delete(`${path}.sha1`)],
    ['has a sum that is none', /is no SHA-1/, () => answers.set(`${path}.sha1`, '<html>')],
    ['is not there', /answers 404/, () => answers.delete(path)],
    [
      'is another version',
      /holds WordPress 6\.4/,
      () => {
        const bytes = zipOf(smallCore('6.4'))
        answers.set(path, bytes).set(`${path}.sha1`, sha1(bytes))
      },
    ],
    [
      'leads out of its archive',
      /not one inside/,
      () => {
        const bytes = zipOf({ ...smallCore('6.5.2'), '../evil': 'x' })
        answers.set(path, bytes).set(`${path}.sha1`, sha1(bytes))
      },
    ],
    [
      'is a redirect to an address nearby',
      /answers 302/,
      () => answers.set(path, redirect('http://169.254.169.254/latest/meta-data/')),
    ],
    [
      'has a sum that is a redirect',
      /answers 302/,
      () => answers.set(`${path}.sha1`, redirect(`${origin}${path}`)),
    ],
    [
      'has a sum without an end',
      /sends more than 1024 bytes/,
      () => answers.set(`${path}.sha1`, endless),
    ],
    [
      'breaks off',
      /does not answer|breaks off/,
      () =>
        answers.set(path, (response) => {
          response.writeHead(200, { 'content-length': 9999 })
          response.write('PK', () => response.destroy())
        }),
    ],
  ])('that %s is refused, and nothing stays of it', async (_, reason, change) => {
    serve('6.5.2')
    change()
    const fetched = fetchCore(place(), { version: '6.5.2', locale: null }, cores())
    await expect(fetched).rejects.toThrow(reason)
    expect(readdirSync(cores())).toEqual([])
  })

  it('comes from the internet alone, unless that is said', async () => {
    serve('6.5.2')
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const near = { ...place(), allowPrivate: false }
      const downloads = near.downloads.replace('127.0.0.1', host)
      const fetched = fetchCore({ ...near, downloads }, { version: '6.5.2', locale: null }, cores())
      await expect(fetched).rejects.toThrow(/does not answer: .* address of this machine/)
    }
    expect(asked).toEqual([])
  })
})

test('who answers for ever is not waited for', async () => {
  const limits = { maxBytes: 2 ** 20, allowPrivate: true }
  const drip = (response: ServerResponse): void => {
    const timer = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(timer))
  }
  answers
    .set('/drip', drip)
    .set('/silent', () => undefined)
    .set('/endless', endless)
  for (const name of ['drip', 'silent']) {
    const got = getText(new URL(`${origin}/${name}`), { ...limits, limitMs: 200 })
    await expect(got).rejects.toThrow(/has not answered all of it in 0\.2 s/)
  }
  const got = getText(new URL(`${origin}/endless`), { ...limits, limitMs: 20_000 })
  await expect(got).rejects.toThrow(/sends more than 1048576 bytes/)
})

test('sums of a version are those of its core', async () => {
  const sum = 'd41d8cd98f00b204e9800998ecf8427e'
  const files = ['wp-admin/index.php', 'wp-load.php', 'wp-content/plugins/hello.php', 'readme.html']
  const checksums = Object.fromEntries(files.map((path) => [path, sum]))
  const path = '/api/core/checksums/1.0/?version=6.5.2&locale=de_DE'
  answers.set(path, JSON.stringify({ checksums }))
  const core = { version: '6.5.2', locale: 'de_DE' }
  expect([...(await askChecksums(place(), core)).keys()]).toEqual(files.slice(0, 2))
  answers.set(path, '{"checksums":false}')
  await expect(askChecksums(place(), core)).rejects.toThrow(/knows no sums/)
})

describe('sources', () => {
  const make = (allowPrivate = true) => {
    const warned: unknown[] = []
    const sources = createCoreSources({
      ...{ folders: [], archives: [], stateDir: state },
      official: { ...place(), allowPrivate, languages: ['de_DE'] },
      log: { warn: (...said) => void warned.push(said) },
    })
    return { sources, warned }
  }

  it('offer what WordPress tells, fetch it when it is chosen, and once', async () => {
    answers.set(LIST, listOf(['6.5.2', 'en_US'], ['6.5.1', 'en_US']))
    answers.set(`${LIST}?locale=de_DE`, listOf(['6.5.2', 'de_DE']))
    serve('6.5.2')
    const { sources } = make()
    expect(await sources.all(true)).toEqual([
      { version: '6.5.2', locales: [], localised: null, source: 'official' },
      { version: '6.5.2', locales: ['de_DE'], localised: 'de_DE', source: 'official' },
      { version: '6.5.1', locales: [], localised: null, source: 'official' },
    ])
    expect(await sources.trees()).toEqual([])
    const wanted = { version: '6.5.2', locale: 'en_US' }
    const both = await Promise.all([sources.forInstall(wanted), sources.forSite('6.5.2', null)])
    expect(both).toMatchObject([{ version: '6.5.2', source: 'official' }, { version: '6.5.2' }])
    expect(asked.filter((url) => url.endsWith('.zip'))).toHaveLength(1)
    expect(await sources.all(false)).toHaveLength(3)
    expect(await sources.forInstall({ version: '6.5.2', locale: 'fr_FR' })).toBeNull()
    await expect(sources.forSite('6.5.1', null)).rejects.toMatchObject({
      ...{ status: 409, message: expect.stringContaining('.sha1 answers 404') },
    })
    // The list is asked once, for each language.
    expect(asked.filter((url) => url.startsWith(LIST))).toHaveLength(2)
  })

  it('do without where nobody answers, and say so once', async () => {
    const { sources, warned } = make(false)
    expect(await sources.all(true)).toEqual([])
    expect(await sources.all(true)).toEqual([])
    expect(await sources.forSite('6.5.2', null)).toBeNull()
    expect([warned.length, asked]).toEqual([1, []])
  })
})
