import { expect, it } from 'vitest'
import { createWarmRuns } from '#adapters/node/web-server/warm/warm-runs.ts'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { WarmDocument, WarmHost } from '#edge-cache/index.ts'
import { normalizePathText } from '#handlers/sites/paths/request-path.ts'
import { createRig } from './warm-rig.ts'

const host = (domain: string): WarmHost => ({
  domain,
  aliases: [],
  suspended: false,
  cache: DEFAULT_CACHE_RULE,
  schemes: 'http',
  mobileVariant: false,
})

it('a run of a host whose sitemap never comes holds up no other host', async () => {
  const all = [host('a.test'), host('b.test')]
  const { queue } = createRig()
  let asked = 0
  const runs = createWarmRuns({
    queue,
    dispatch: {
      fill: () => Promise.reject(new Error('not asked for here')),
      isLoaded: () => Promise.resolve(false),
      read: (target) => {
        if (target.host !== 'a.test') return Promise.resolve(null)
        asked++
        return new Promise<WarmDocument>(() => undefined)
      },
    },
    hosts: () => ({
      find: (name) => all.find(({ domain }) => domain === name) ?? null,
      all: () => all,
      normalizePath: normalizePathText,
      isOwnPort: () => false,
    }),
    limits: () => ({ batchSize: 10, requestTimeoutMs: 1000, maxQueueSize: 100 }),
    nowMs: () => 0,
    onFault: () => undefined,
  })
  void runs.run('one', 'a.test')
  const second = runs.run('two', 'a.test')
  expect(await runs.run('one', 'b.test')).toMatchObject({ queued: 1 })
  expect([asked, runs.isFinding('one'), runs.isFinding('two')]).toEqual([1, true, true])
  expect(runs.run('two', 'a.test')).toBe(second)
})
