import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EdgeInstance, html, MANAGEMENT_TOKEN, startEdge } from './edge-instance.ts'

let edge: EdgeInstance
let runs = 0
beforeAll(async () => {
  edge = await startEdge({
    isolates: 2,
    variables: {
      SITE_SHOP: { domain: 'shop.test', aliases: ['www.shop.test'], origin: 'http://origin.test' },
      SITE_OTHER: { domain: 'other.test', origin: 'http://origin.test' },
    },
  })
})
afterAll(() => edge?.close())
/** Of the next responses to requests that change something. */
let order: Record<string, string> = {}
beforeEach(() => {
  order = {}
  edge.origin = ({ method, url }) =>
    method === 'GET' && !url.includes('/save')
      ? html(`run ${++runs}`, { 'cache-tag': 'products', 'x-litespeed-tag': 'P_7' })
      : html('saved', { 'cache-control': 'no-store', ...order })
})

const bodies = async (url: string) =>
  Promise.all([0, 1].map(async (isolate) => (await edge.get(url, { isolate })).body))
const stored = async (url: string): Promise<string> => {
  await edge.get(url)
  const [one = '', two] = await bodies(url)
  expect(two).toBe(one)
  return one
}

test.each([
  ['x-cache-purge', 'tag=products', 'https://shop.test/by-tag'],
  ['x-cache-purge', '/by-path', 'https://www.shop.test/by-path'],
  ['x-litespeed-purge', 'tag=P_7', 'https://shop.test/by-plugin'],
  ['x-litespeed-purge', '*', 'https://shop.test/by-all'],
])(
  'what an origin asks for by %s: %s is done before its response goes on',
  async (name, value, url) => {
    const before = await stored(url)
    const other = await stored('https://other.test/page')
    order = { [name]: value }
    const saved = await edge.ask('https://shop.test/save', { isolate: 1 })
    expect([await saved.text(), saved.headers.get(name)]).toEqual(['saved', null])
    for (const body of await bodies(url)) expect(body).not.toBe(before)
    // Whatever is named counts within the site alone.
    expect(await bodies('https://other.test/page')).toEqual([other, other])
  },
)

test('an order that names nothing changes nothing and goes no further', async () => {
  const before = await stored('https://shop.test/kept')
  order = { 'x-cache-purge': 'tag=, ,https://other.test/page' }
  const saved = await edge.ask('https://shop.test/save')
  expect(saved.headers.get('x-cache-purge')).toBeNull()
  expect(await bodies('https://shop.test/kept')).toEqual([before, before])
})

const purge = (url: string, headers: Record<string, string> = {}) =>
  edge.ask(url, { method: 'PURGE', headers })
const authorization = `Bearer ${MANAGEMENT_TOKEN}`

test('PURGE makes a page new for whoever has the token, and for nobody else', async () => {
  const url = 'https://shop.test/page'
  const before = await stored(url)
  for (const headers of [{}, { authorization: 'Bearer another-token-of-tests' }]) {
    const refused = await purge(url, headers as Record<string, string>)
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  }
  expect(await bodies(url)).toEqual([before, before])
  expect(edge.seen.some(({ method }) => method === 'PURGE')).toBe(false)

  const done = await purge('https://www.shop.test/page', { authorization })
  expect([done.status, await done.text()]).toEqual([200, 'Purged.\n'])
  for (const body of await bodies(url)) expect(body).not.toBe(before)
})

test('PURGE by tags and by what an address begins with', async () => {
  const tagged = await stored('https://shop.test/tagged')
  await purge('https://shop.test/', { authorization, 'x-cache-purge': 'tag=products' })
  for (const body of await bodies('https://shop.test/tagged')) expect(body).not.toBe(tagged)
  const below = await stored('https://shop.test/blog/post')
  await purge('https://shop.test/blog/.*', { authorization })
  for (const body of await bodies('https://shop.test/blog/post')) expect(body).not.toBe(below)
})
