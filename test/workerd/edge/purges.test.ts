import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EdgeInstance, html, startEdge } from './edge-instance.ts'

/** Two isolates of one data centre: they share the Cache API and the Durable Object, and no memory. */
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
beforeEach(() => {
  edge.origin = () => html(`run ${++runs}`, { 'cache-tag': 'products, sale' })
})

const bodies = async (url: string) =>
  Promise.all([0, 1].map(async (isolate) => (await edge.get(url, { isolate })).body))
const purge = (query: string) =>
  edge.manage(`/api/v1/cache/purge${query}`, { method: 'POST', isolate: 0 })

/** Stores a page in the memory of both isolates. */
const stored = async (url: string): Promise<string> => {
  await edge.get(url)
  const [one, two] = await bodies(url)
  const again = await bodies(url)
  expect(again).toEqual([one, two])
  return one ?? ''
}

test.each([
  ['', 'https://shop.test/all'],
  ['?domain=shop.test', 'https://www.shop.test/by-domain'],
  ['?domain=shop.test&path=/by-path', 'https://shop.test/by-path'],
  ['?domain=shop.test&path=/blog/*', 'https://shop.test/blog/post'],
  ['?tag=sale', 'https://shop.test/by-tag'],
])('once a purge (%s) is answered no isolate shows what it hit', async (query, url) => {
  const before = await stored(url)
  const answer = await purge(query)
  expect(answer).toMatchObject({ status: 200, body: { purged: true, workers: 2 } })
  for (const body of await bodies(url)) expect(body).not.toBe(before)
})

test('a purge of one site leaves the others\u2019 pages', async () => {
  const before = await stored('https://other.test/page')
  await purge('?domain=shop.test')
  expect(await bodies('https://other.test/page')).toEqual([before, before])
})

test('a page that was asked for before a purge is not shown after it', async () => {
  let answer = (): void => undefined
  let asked = (): void => undefined
  const reached = new Promise<void>((resolve) => (asked = resolve))
  edge.origin = async () => {
    asked()
    await new Promise<void>((resolve) => (answer = resolve))
    return html('from before')
  }
  const under = edge.get('https://shop.test/slow', { isolate: 1 })
  await reached
  await purge('?domain=shop.test&path=/slow')
  edge.origin = () => html('from after')
  answer()
  expect((await under).body).toBe('from before')
  expect(await bodies('https://shop.test/slow')).toEqual(['from after', 'from after'])
})

test('while others are asked a purge is never seen undone', async () => {
  const url = 'https://shop.test/raced'
  let edition = 0
  edge.origin = () => html(String(edition))
  let acknowledged = 0
  let isOver = false
  const wrong: string[] = []
  const reader = async (isolate: number) => {
    while (!isOver) {
      const atLeast = acknowledged
      const { body } = await edge.get(url, { isolate })
      if (Number(body) < atLeast) wrong.push(`${body} after ${atLeast}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const readers = [reader(0), reader(1)]
  for (let round = 1; round <= 3; round++) {
    edition = round
    await purge(round % 2 === 0 ? '?tag=none&tag=host:shop.test' : '?domain=shop.test')
    acknowledged = round
  }
  isOver = true
  await Promise.all(readers)
  expect(wrong).toEqual([])
})

test('cookies that a site sets in one isolate count in the other', async () => {
  await stored('https://shop.test/welcome')
  edge.origin = () => html(`run ${++runs}`, { 'set-cookie': 'flavour=sweet' })
  await edge.get('https://shop.test/choose', { isolate: 1 })
  const headers = { cookie: 'flavour=sweet' }
  const shown = await edge.get('https://shop.test/welcome', { headers, isolate: 0 })
  expect(shown.xCache).toBe('MISS')
})

test('figures are of all isolates', async () => {
  const before = (await edge.manage('/api/v1/cache/stats')).body as { hits: number }
  await stored('https://shop.test/counted')
  // Each isolate says what it counted when it next asks for news.
  await purge('?domain=nobody.test')
  await bodies('https://shop.test/counted')
  const { hits, l1, l2_state } = (await edge.manage('/api/v1/cache/stats')).body as {
    hits: number
    l1: { entries: number }
    l2_state: string
  }
  expect(hits).toBeGreaterThanOrEqual(before.hits + 3)
  expect(l1.entries).toBeGreaterThan(0)
  expect(l2_state).toBe('on')
})
