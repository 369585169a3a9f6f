import { expect, it } from 'vitest'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import { createSite, vhostOf } from '#test/contract/sites/sites-harness.ts'
import { createMemoryPageCache } from '#test/support/setups/memory-page-cache.ts'
import { memoryFiles } from '#test/unit/sites/memory-site.ts'

const cache = createMemoryPageCache()
const rule = { ...DEFAULT_CACHE_RULE, enable: true }
let runs = 0
/** Shows the name that it was asked by, as applications do in links. */
const site = createSite({
  vhosts: [
    vhostOf({ domain: '*.wild.test', aliases: [], cache: rule }),
    vhostOf({ domain: 'one.wild.test', aliases: [], cache: rule }),
    vhostOf({ domain: 'other.test', aliases: [], cache: rule }),
    vhostOf({ domain: 'open.test', aliases: [], cache: rule, default_host: true }),
  ],
  files: memoryFiles({ '/index.php': '<?php' }),
  php: () => ({
    run: async (_request, call) => {
      runs++
      return new Response(`<p>${call.host}</p>`, { headers: { 'content-type': 'text/html' } })
    },
  }),
  cache,
})
const ask = async (host: string): Promise<[string, string | null]> => {
  const answer = await site.visit('/', { host })
  return [await answer.text(), answer.headers.get('x-cache')]
}

it('a page of one name is never shown at another', async () => {
  for (const host of ['a.wild.test', 'b.wild.test', 'one.wild.test', 'A.WILD.test.', 'other.test'])
    for (let again = 0; again < 4; again++)
      expect((await ask(host))[0]).toBe(`<p>${host.toLowerCase().replace(/\.$/, '')}</p>`)
  expect((await ask('a.wild.test'))[1]).toBe('HIT')
  expect((await ask('one.wild.test'))[1]).toBe('HIT')
})

it('a flood of names fills nothing, counts as one site, and leaves the pages of others', async () => {
  await ask('other.test')
  const before = runs
  for (let n = 0; n < 5000; n++) await ask(`n${n}.wild.test`)
  expect(runs - before).toBe(5000)
  expect((await ask('other.test'))[1]).toBe('HIT')
  const sites = Object.keys(cache.counters().hosts)
  expect(sites.toSorted()).toEqual(['*.wild.test', 'one.wild.test', 'other.test'])
})

it('what is answered at names of nobody is stored for nobody', async () => {
  const before = runs
  for (let again = 0; again < 4; again++)
    expect(await ask('stranger.test')).toEqual(['<p>stranger.test</p>', null])
  expect(runs - before).toBe(4)
  expect((await ask('open.test'))[0]).toBe('<p>open.test</p>')
})
