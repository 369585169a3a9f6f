import { describe, expect, it } from 'vitest'
import {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  purgeSiteTag,
  purgeTag,
} from '#edge-cache/index.ts'
import { uriTag } from '#edge-cache/http-mode/uri-tag.ts'
import { PurgeHistory } from '#adapters/node/web-server/purges/purge-history.ts'

const SITES: Record<string, string> = {
  'a.test': 'a.test',
  'www.a.test': 'a.test',
  'b.test': 'b.test',
}
const create = () => {
  const clock = { nowMs: 1000 }
  const history = new PurgeHistory({
    nowMs: () => clock.nowMs,
    siteOf: (host) => SITES[host] ?? null,
  })
  return { clock, history }
}

describe('purges of a site', () => {
  it('are told as people would say them, each to its own site', () => {
    const { history, clock } = create()
    history.note(purgePath(['a.test', 'www.a.test'], '/caf%C3%A9'), 'panel:lena')
    clock.nowMs++
    history.note(purgePrefix(['a.test', 'www.a.test'], '/blog/'), 'php')
    clock.nowMs++
    history.note(purgeSiteTag('a.test', 'News'), 'cli')
    clock.nowMs++
    history.note(purgeDomain('b.test'), 'rules')
    clock.nowMs++
    history.note([{ kind: 'tag', tag: uriTag('www.a.test', '/x', null) }], 'unsafe-request')
    clock.nowMs++
    history.note(
      [{ kind: 'tag', tag: 'host:a.test script: /home/a/my site/index.php' }],
      'unsafe-request',
    )
    clock.nowMs++
    history.note(purgeAll(), 'panel')
    expect(history.read('a.test')).toEqual([
      { at_ms: 1006, scope: 'all', items: [], count: 1, times: 1, cause: 'panel' },
      {
        ...{ at_ms: 1005, scope: 'scripts', items: ['/home/a/my site/index.php'] },
        ...{ count: 1, times: 1, cause: 'script' },
      },
      { at_ms: 1004, scope: 'paths', items: [], count: 1, times: 1, cause: 'unsafe-request' },
      { at_ms: 1002, scope: 'tags', items: ['news'], count: 1, times: 1, cause: 'cli' },
      { at_ms: 1001, scope: 'paths', items: ['/blog/*'], count: 1, times: 1, cause: 'php' },
      { at_ms: 1000, scope: 'paths', items: ['/café'], count: 1, times: 1, cause: 'panel:lena' },
    ])
    expect(history.read('b.test').map(({ cause }) => cause)).toEqual(['panel', 'rules'])
  })

  it('of what is no site of ours are not kept', () => {
    const { history } = create()
    history.note([...purgeDomain('stranger.test'), ...purgeTag('everywhere')], 'cli')
    expect(history.read('a.test')).toEqual([])
    expect(history.read('stranger.test')).toEqual([])
  })

  it('that repeat themselves within a minute are one', () => {
    const { history, clock } = create()
    for (let i = 0; i < 3; i++) {
      history.note(purgeDomain('a.test'), 'php')
      clock.nowMs += 1000
    }
    clock.nowMs += 60_000
    history.note(purgeDomain('a.test'), 'php')
    expect(history.read('a.test').map(({ times }) => times)).toEqual([1, 3])
  })

  it('are bounded in number and size', () => {
    const { history, clock } = create()
    for (let i = 0; i < 200; i++) {
      const paths = Array.from({ length: 30 }, (_, n) => `/${i}/${n}/${'x'.repeat(1000)}`)
      history.note(
        paths.flatMap((path) => purgePath('a.test', path)),
        i === 199 ? 'bad\ncause' : 'c'.repeat(1000),
      )
      clock.nowMs++
    }
    const purges = history.read('a.test')
    expect(purges).toHaveLength(50)
    expect(purges[0]).toMatchObject({ count: 30, cause: 'unknown' })
    expect(purges[0]?.items).toHaveLength(5)
    expect(Math.max(...purges.flatMap(({ items }) => items.map(({ length }) => length)))).toBe(200)
    expect(purges[1]?.cause).toHaveLength(128)
  })
})
