import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  CookieLedger,
  learnedCookiesFile,
} from '#adapters/node/web-server/cookies/cookie-ledger.ts'
import { createCookieLearner } from '#adapters/node/web-server/cookies/learn-cookies.ts'
import { createCookieMemory, DEFAULT_CACHE_RULE, type SiteCookies } from '#edge-cache/index.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config-types.ts'

const SITE = { domain: 'a.test', cache: DEFAULT_CACHE_RULE } as VirtualHostConfig
const setting = (names: readonly string[]): Response => {
  const headers = new Headers()
  for (const name of names) headers.append('set-cookie', `${name}=anna`)
  return new Response(null, { headers })
}
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

let directory: string
let config: ServerConfig
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-cookies-'))
  config = { paths: { state_dir: directory }, virtualhost: [SITE] } as ServerConfig
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

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
})
