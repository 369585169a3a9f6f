import { describe, expect, it } from 'vitest'
import { createPurgeBudget } from '#adapters/node/web-server/control/purge-budget.ts'
import { createSitePurges } from '#adapters/node/web-server/control/site-purges.ts'
import {
  purgeDomain,
  purgePath,
  type PurgeScope,
  readPurgeOrder,
  softly,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { siteScopes } from '#handlers/sites/page-cache/site-purges.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'

const list = (count: number, mark = '/p', end = ''): string =>
  Array.from({ length: count }, (_, n) => `${mark}${n}${end}`).join(',')
const namesOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `w${n}.a.test`)
const scopesOf = (text: string, aliases: string[] = []): PurgeScope[] =>
  siteScopes(readPurgeOrder(text), { domain: 'a.test', aliases })
const WHOLE = purgeDomain('a.test')

describe('what a site asks to be made new', () => {
  it('is the whole site where pages and its names are more than are counted singly', () => {
    expect(scopesOf(list(201))).toEqual(WHOLE)
    expect(scopesOf(list(1000), namesOf(1000))).toEqual(WHOLE)
    expect(scopesOf(list(1, '/p', '*'), namesOf(200))).toEqual(WHOLE)
    expect(scopesOf(list(20), namesOf(10))).toEqual(WHOLE)
    const most = scopesOf(list(20), namesOf(9))
    expect(most).toContainEqual({ kind: 'key', id: 'https://w8.a.test/p19' })
    expect(most).not.toContainEqual(WHOLE[0])
  })

  it('names its tags once, whatever its own names', () => {
    expect(scopesOf(list(200, 't'), namesOf(1000)).length).toBe(200)
    expect(scopesOf(list(201, 't'))).toEqual(WHOLE)
    expect(scopesOf(`${list(190, 't')},/one,/two`, namesOf(5))).toEqual(WHOLE)
  })

  it('is renewed softly only where all of it is', () => {
    expect(scopesOf(list(201, '/p', '~s'))).toEqual(softly(WHOLE))
    expect(scopesOf(`${list(201, '/p', '~s')},/hard`)).toEqual(WHOLE)
    expect(scopesOf(`stale,*,${list(201)}`)).toEqual(softly(WHOLE))
  })
})

describe('purges by sites', () => {
  const start = () => {
    const done: PurgeScope[][] = []
    const noted: [cause: string, scopes: readonly PurgeScope[]][] = []
    const config = { virtualhost: [vhostOf()] } as unknown as ServerConfig
    const purges = createSitePurges({
      config: () => config,
      budget: createPurgeBudget(() => 0),
      note: (scopes, cause) => void noted.push([cause, scopes]),
      purge: (scopes) => {
        done.push([...scopes])
        return Promise.resolve()
      },
    })
    return { done, noted, purges }
  }

  it('are noted as what the budget leaves of them', async () => {
    const { done, noted, purges } = start()
    const small = purgePath('a.test', '/one')
    const large = Array.from({ length: 2001 }, (_, n) => purgePath('a.test', `/${n}`)).flat()
    await purges.purge('a.test', small, 'php')
    await purges.purge('a.test', large, 'purge-method')
    await purges.purge('a.test', softly(large), 'php')
    const expected = [small, WHOLE, softly(WHOLE)]
    expect(noted).toEqual([
      ['php', expected[0]],
      ['purge-method', expected[1]],
      ['php', expected[2]],
    ])
    expect(done).toEqual(expected)
  })

  it('of a site that is gone, and of nothing, are not noted', async () => {
    const { done, noted, purges } = start()
    await purges.purge('gone.test', WHOLE, 'php')
    await purges.purge('a.test', [], 'php')
    expect([done, noted]).toEqual([[], []])
  })
})
