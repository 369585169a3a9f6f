import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  CookieLedger,
  learnedCookiesFile,
} from '#adapters/node/web-server/cookies/cookie-ledger.ts'
import { createCookieLearner } from '#adapters/node/web-server/cookies/learn-cookies.ts'
import { createCookieMemory, DEFAULT_CACHE_RULE, type SiteCookies } from '#edge-cache/index.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

const SITE = {
  domain: 'a.test',
  username: null,
  cache: DEFAULT_CACHE_RULE,
} as VirtualHostConfig
const setting = (names: readonly string[]): Response => {
  const headers = new Headers()
  for (const name of names) headers.append('set-cookie', `${name}=anna`)
  return new Response(null, { headers })
}
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

let config: ServerConfig
beforeEach(() => {
  makeDirectory()
  config = { paths: { state_dir: directory }, virtualhost: [SITE] } as ServerConfig
})

describe('what an answer with very many cookies costs', () => {
  it('is one message with as many names as matter, and nothing once the site is full', async () => {
    const memory = createCookieMemory()
    const asked: (readonly string[])[] = []
    const learner = createCookieLearner({
      memory,
      ask: (site, names) => {
        asked.push(names)
        memory.learn(site, names, 0)
        return Promise.resolve()
      },
      nowMs: () => 0,
    })
    // Nothing that comes first may hide what comes after it.
    const names = Array.from({ length: 14_000 }, (_, n) => (n < 200 ? '_ga' : `member${n}`))
    await learner.learn(SITE, setting(names))
    expect(asked).toHaveLength(1)
    expect(asked[0]?.length).toBeLessThanOrEqual(100)
    expect(memory.get('a.test').full).toBe(true)
    expect(learner.learn(SITE, setting(['another']))).toBeNull()
  })

  it('is told to the workers together, and once', async () => {
    const told: SiteCookies[] = []
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const ledger = new CookieLedger({
      config,
      tell: async (_site, known) => {
        told.push(known)
        if (told.length === 1) await held
      },
      log,
    })
    const learned = [1, 2, 3, 4].map((n) => ledger.learn('a.test', [`member${n}`]))
    release()
    await Promise.all(learned)
    expect(told).toHaveLength(2)
    expect(told[1]?.names).toHaveLength(4)
    await ledger.learn('a.test', ['member1'])
    expect(told).toHaveLength(2)
  })
})

describe('the room for the names of all sites', () => {
  const names = (count: number, first = 0): string[] =>
    Array.from({ length: count }, (_, n) => `member${first + n}`)

  it('is not filled by one account: its sites together hold an eighth at most', () => {
    const accountOf = (site: string): string => (site.startsWith('lena') ? 'lena' : site)
    const memory = createCookieMemory({}, { maxNames: 64, maxAllNames: 800, accountOf })
    for (let site = 0; site < 20; site++) memory.learn(`lena${site}.test`, names(64), 0)
    const held = Object.entries(memory.all()).filter(([site]) => site.startsWith('lena'))
    expect(held.reduce((sum, [, { names: own }]) => sum + own.length, 0)).toBe(100)
    expect(held).toHaveLength(20)
    expect(memory.get('lena0.test')).toMatchObject({ full: false })
    expect(memory.get('lena1.test')).toMatchObject({ full: true })
    expect(memory.learn('otto.test', names(64), 0)).toBe(true)
    expect(memory.get('otto.test')).toMatchObject({ full: false })
    expect(memory.get('otto.test').names).toHaveLength(64)
    // What is forgotten makes room for its own account again.
    memory.forget('lena0.test', null)
    memory.learn('lena30.test', names(60), 0)
    expect(memory.get('lena30.test')).toMatchObject({ full: false })
  })

  it('is parted by who owns the sites, also after a reload', async () => {
    const owned = (domain: string, username: string | null): VirtualHostConfig => ({
      ...SITE,
      ...{ domain, username },
    })
    const mine = Array.from({ length: 99 }, (_, n) => owned(`lena${n}.test`, 'lena'))
    const all = { ...config, virtualhost: [...mine, owned('otto.test', 'otto')] }
    const ledger = new CookieLedger({ config: all, tell: () => Promise.resolve(), log })
    // An eighth of 50,000 is less than 99 times 64.
    await Promise.all(mine.map(({ domain }) => ledger.learn(domain, names(64))))
    const closed = (): string[] =>
      Object.entries(ledger.all()).flatMap(([site, { full }]) => (full ? [site] : []))
    expect(closed()).toEqual(['lena97.test', 'lena98.test'])
    ledger.apply({ put: [owned('new.test', 'lena'), owned('free.test', null)], removed: [] })
    for (const site of ['otto.test', 'new.test', 'free.test']) await ledger.learn(site, names(64))
    expect(closed()).toEqual(['lena97.test', 'lena98.test', 'new.test'])
  })
})

describe('a file that cannot be read', () => {
  it('closes the cache to cookies that no list knows, a missing one does not', async () => {
    const make = () => new CookieLedger({ config, tell: () => Promise.resolve(), log })
    expect(make().get('a.test').full).toBe(false)
    const file = learnedCookiesFile(config)
    await mkdir(dirname(file), { recursive: true })
    for (const text of ['', '[]', '{"a.test"']) {
      writeFileSync(file, text)
      expect(make().get('a.test').full, text).toBe(true)
    }
  })

  it.each([
    ['null'],
    ['{"names":[],"full":"no"}'],
    ['{"names":[["member"]],"full":false}'],
    ['{"full":false}'],
  ])('closes the one site of which it holds %s, and says so', async (text) => {
    const warned: unknown[] = []
    const file = learnedCookiesFile(config)
    await mkdir(dirname(file), { recursive: true })
    writeFileSync(file, `{"a.test":${text},"b.test":{"names":[["member",1]],"full":false}}`)
    const hosts = ['a.test', 'b.test', 'c.test'].map((domain) => ({ ...SITE, domain }))
    const ledger = new CookieLedger({
      config: { ...config, virtualhost: hosts },
      tell: () => Promise.resolve(),
      log: { ...log, warn: (...said) => void warned.push(said) },
    })
    expect(ledger.get('a.test')).toEqual({ names: [], full: true })
    expect(ledger.get('b.test')).toEqual({ names: [['member', 1]], full: false })
    expect(ledger.get('c.test')).toEqual({ names: [], full: false })
    expect(warned).toEqual([
      [expect.stringContaining('cookies of a site'), { file, domain: 'a.test' }],
    ])
  })
})
