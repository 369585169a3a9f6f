import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  VaryingLedger,
  varyingSitesFile,
} from '#adapters/node/web-server/sampling/varying-ledger.ts'
import { DEFAULT_CACHE_RULE, type PageFilling } from '#edge-cache/config.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { createVaryingSites } from '#handlers/sites/page-cache/varying-sites.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

const base = parseServerConfig({ file: '/b.toml', text: '', root: false }).config
const host = (domain: string, fills: PageFilling = 'auto') =>
  hostConfig(domain, { cache: { ...DEFAULT_CACHE_RULE, fills } })
const FOUND = { why: 'title', page: '/a' } as const

beforeEach(makeDirectory)

const start = (hosts = [host('a.test'), host('b.test'), host('own.test', 'visitor')]) => {
  const state = { nowMs: 1_800_000_000_000 }
  const config: ServerConfig = {
    ...base,
    paths: { ...base.paths, state_dir: directory },
    virtualhost: hosts,
  }
  const file = varyingSitesFile(config)
  const steps: string[] = []
  const open = (): VaryingLedger =>
    new VaryingLedger({
      config: () => config,
      tell: async (site, varies) => void steps.push(`tell ${site} ${varies}`),
      purge: async (site) => void steps.push(`purge ${site}`),
      log: {
        info: () => undefined,
        warn: (text) => void steps.push(text),
        error: () => undefined,
      },
      nowMs: () => state.nowMs,
    })
  return { state, config, file, steps, open }
}

describe('sites that were found to vary', () => {
  it('are told to all workers before their pages are made new, once, and kept', async () => {
    const { steps, open, file } = start()
    const ledger = open()
    await Promise.all([ledger.note('a.test', FOUND), ledger.note('a.test', FOUND)])
    expect(steps).toEqual(['tell a.test true', 'purge a.test'])
    expect(ledger.all()).toEqual(['a.test'])
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)).toEqual(['a.test'])
    expect(open().get('a.test')).toEqual({ atMs: 1_800_000_000_000, ...FOUND })
    expect(open().get('b.test')).toBeNull()
  })

  it('are none where the owner said who fills pages, or that are not there', async () => {
    const { steps, open } = start()
    const ledger = open()
    await ledger.note('own.test', FOUND)
    await ledger.note('elsewhere.test', FOUND)
    expect([steps, ledger.all()]).toEqual([[], []])
    expect(ledger.takeTurn('own.test', 'desktop de')).toBe(false)
    expect(ledger.takeTurn('elsewhere.test', 'desktop de')).toBe(false)
  })

  it.each([
    ['says who fills its pages', { put: [host('a.test', 'neutral')], removed: [] }, []],
    ['is gone', { put: [], removed: ['a.test'] }, []],
    ['changes otherwise', { put: [host('a.test')], removed: [] }, ['a.test']],
  ])('a site that %s', async (_what, changes, left) => {
    const { steps, open } = start()
    const ledger = open()
    await ledger.note('a.test', FOUND)
    ledger.apply(changes)
    expect(ledger.all()).toEqual(left)
    expect(steps.includes('tell a.test false')).toBe(left.length === 0)
  })

  it.each(['', '[]', '{"a.test": {"atMs": 1, "why": "mood", "page": "/"}}', '{"a.test": null}'])(
    'are none in a file that holds %j',
    (text) => {
      const { open, file } = start()
      mkdirSync(dirname(file))
      writeFileSync(file, text)
      expect(open().all()).toEqual([])
    },
  )
})

describe('turns of samples', () => {
  it('come once a day for each class of a site, and not to sites that are known to vary', async () => {
    const { state, open } = start()
    const ledger = open()
    const turns = (): boolean[] =>
      ['desktop de', 'desktop de', 'mobile de'].map((name) => ledger.takeTurn('a.test', name))
    expect(turns()).toEqual([true, false, true])
    expect(ledger.takeTurn('b.test', 'desktop de')).toBe(true)
    state.nowMs += 86_400_000
    expect(turns()).toEqual([true, false, true])
    await ledger.note('b.test', FOUND)
    state.nowMs += 86_400_000
    expect(ledger.takeTurn('b.test', 'desktop de')).toBe(false)
  })

  it('are bounded', () => {
    const ledger = start().open()
    const given = Array.from({ length: 40 }, (_one, at) =>
      ledger.takeTurn('a.test', `desktop ${at}`),
    )
    expect(given.filter(Boolean).length).toBe(16)
    expect(ledger.takeTurn('b.test', 'x'.repeat(100))).toBe(false)
  })
})

describe('the rule that counts', () => {
  it('fills neutrally at sites that vary, unless the owner said otherwise', () => {
    const sites = createVaryingSites(['a.test', 'own.test'])
    const [a, b, own] = [host('a.test'), host('b.test'), host('own.test', 'visitor')]
    const fills = (): string[] => [a, b, own].map((one) => sites.ruleAt(one).fills)
    expect(fills()).toEqual(['neutral', 'auto', 'visitor'])
    expect(sites.ruleAt(a)).toBe(sites.ruleAt(a))
    expect(sites.ruleAt(b)).toBe(b.cache)
    sites.put('b.test', true)
    sites.put('a.test', false)
    expect(fills()).toEqual(['auto', 'neutral', 'visitor'])
  })
})
