import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleWorker } from './bundle-worker.ts'

const ENTRY = fileURLToPath(new URL('./worker/cache-suites.ts', import.meta.url))
const miniflare = new Miniflare({
  modules: true,
  script: await bundleWorker(ENTRY),
  compatibilityDate: '2026-07-01',
})
afterAll(() => miniflare.dispose())

const ask = async (query: string): Promise<unknown> =>
  (await miniflare.dispatchFetch(`http://suites.test/${query}`)).json()

const suites = (await ask('')) as { name: string; cases: string[] }[]

// The list comes from the worker itself, so a suite that is lost there would not be missed.
it('runs the store, the middleware and the management API in workerd', () => {
  expect(suites.map(({ name }) => name).sort()).toEqual([
    'http cache: Cache API',
    'http cache: memory',
    'management',
    'page cache: Cache API',
    'page cache: memory',
    'shared cache: Cache API',
    'shared cache: memory',
    'store: Cache API',
    'store: memory',
    'warm queue',
  ])
  for (const { name, cases } of suites) expect(cases.length, name).toBeGreaterThan(10)
})

for (const { name, cases } of suites) {
  describe(`${name} in workerd`, () => {
    cases.forEach((title, index) => {
      it(title, async () => {
        const query = new URLSearchParams({ suite: name, case: String(index) })
        expect(await ask(`?${query}`)).toEqual({ error: null })
      })
    })
  })
}
