import { describe, expect, it } from 'vitest'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { PageCache } from '#edge-cache/page-mode/page-cache.ts'
import { CgiHeadReader } from '#adapters/node/php-backends/wire/cgi-head.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import { createSite, vhostOf, type Ask } from '#test/contract/sites/sites-harness.ts'
import { memoryFiles } from './memory-site.ts'

/** Stores nothing. */
const passing = {
  handle: (request, _context, next) => next(request, 'visitor'),
  tally: () => ({ hits: 0, requests: 0 }),
} as Pick<PageCache, 'handle' | 'tally'> as PageCache

const failingBody = (error: Error, first?: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      if (first !== undefined) controller.enqueue(new TextEncoder().encode(first))
      else controller.error(error)
    },
    pull: (controller) => controller.error(error),
  })

/** How often the site was purged, and the status, when a script gives such an answer. */
const purgesOf = async (
  answer: () => Response,
  { htaccess = '', ...ask }: Ask & { htaccess?: string } = {},
): Promise<[number, number]> => {
  let purges = 0
  const ruleFiles: RuleFiles = {
    read: () =>
      Promise.resolve(
        htaccess === '' ? { kind: 'missing' } : { kind: 'text', text: htaccess, stamp: '1' },
      ),
    verifyPassword: () => Promise.resolve(false),
  }
  const { visit } = createSite({
    vhosts: [vhostOf({ cache: { ...DEFAULT_CACHE_RULE, enable: true } })],
    files: memoryFiles({ '/': null, '/index.php': '' }),
    php: () => ({ run: () => Promise.resolve(answer()) }),
    cache: passing,
    ruleFiles,
    purgeSite: () => Promise.resolve(void purges++),
  })
  const response = await visit('/', ask)
  expect([...response.headers.keys()].filter((name) => /purge/.test(name))).toEqual([])
  await response.body?.cancel().catch(() => undefined)
  return [purges, response.status]
}
const headers = { 'x-litespeed-purge': 'public,a_Po.1', 'content-type': 'text/html' }
const late = new OriginError(504, 'the script sent nothing for a while')

describe('what an answer asks to be purged is purged once', () => {
  it.each<[string, number, () => Response, (Ask & { htaccess?: string })?]>([
    ['of a usual answer', 200, () => new Response('a', { headers })],
    [
      'of one that is too large to be stored',
      200,
      () => new Response('a', { headers: { ...headers, 'content-length': String(2 ** 40) } }),
    ],
    ['to HEAD', 200, () => new Response(null, { headers }), { method: 'HEAD' }],
    ['to POST', 302, () => new Response(null, { status: 302, headers }), { method: 'POST' }],
    ['of a 304', 304, () => new Response(null, { status: 304, headers })],
    ['of a part', 206, () => new Response('a', { status: 206, headers })],
    ['of an error', 500, () => new Response('a', { status: 500, headers })],
    ['of an error without a word', 500, () => new Response('', { status: 500, headers })],
    [
      'of an error whose body never comes',
      504,
      () => new Response(failingBody(late), { status: 500, headers }),
    ],
    ['of a body that breaks off', 200, () => new Response(failingBody(late, 'a'), { headers })],
    [
      'of one that header rules cannot be applied to',
      500,
      () => new Response('a', { headers: { ...headers, x: 'a'.repeat(16_380) } }),
      { htaccess: 'Header append X bbbbb' },
    ],
  ])('%s', async (_what, status, answer, ask) => {
    expect(await purgesOf(answer, ask)).toEqual([1, status])
  })

  it('and what rules ask for in its place', async () => {
    const htaccess = 'Header set X-Cache-Purge /one'
    expect(await purgesOf(() => new Response('a'), { htaccess })).toEqual([1, 200])
  })
})

describe('a purge field of a script that is longer than a line may be', () => {
  const head = (name: string) =>
    new CgiHeadReader().push(Buffer.from(`${name}: ${'a_1,'.repeat(5000)}\r\n\r\n`))
  it.each(['X-LiteSpeed-Purge', 'X-LiteSpeed-Purge2', 'x-cache-purge'])(
    '%s is one for the whole site',
    (name) => {
      expect(head(name)?.headers.get(name)).toBe('*')
    },
  )
  it('and no other field may be', () => {
    expect(() => head('X-LiteSpeed-Tag')).toThrow('more than 16 KiB: X-LiteSpeed-Tag')
  })
})
