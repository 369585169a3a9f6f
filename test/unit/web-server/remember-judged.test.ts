import { describe, expect, it } from 'vitest'
import { rememberJudged } from '#adapters/node/web-server/files/remember-judged.ts'
import type { FileKind, FilePlace } from '#handlers/sites/site-files.ts'

const place = (path: string, more: Partial<FilePlace> = {}): FilePlace => ({
  root: '/home/a/htdocs',
  ...{ home: '/home/a', uid: 1001, path },
  ...more,
})

describe('judged places', () => {
  it('are believed to be files for a second, and nothing else for no time', async () => {
    let now = 0
    let kind: FileKind = 'missing'
    let asked = 0
    const { judge, isKnownFile } = rememberJudged(
      () => {
        asked++
        return Promise.resolve(kind)
      },
      () => now,
    )
    expect(await judge(place('/a.php'))).toBe('missing')
    expect(isKnownFile(place('/a.php'))).toBe(false)
    kind = 'file'
    expect(await judge(place('/a.php'))).toBe('file')
    kind = 'denied'
    now = 999
    expect(isKnownFile(place('/a.php'))).toBe(true)
    expect(isKnownFile(place('/a.php', { uid: 1002 }))).toBe(false)
    expect(await judge(place('/a.php'))).toBe('file')
    expect(asked).toBe(2)
    now = 1000
    expect(isKnownFile(place('/a.php'))).toBe(false)
    expect(await judge(place('/a.php'))).toBe('denied')
    now = 1001
    expect(await judge(place('/a.php'))).toBe('denied')
    expect(asked).toBe(4)
  })

  it('of one owner, home or root are none of another', async () => {
    const asked: FilePlace[] = []
    const { judge } = rememberJudged((one) => {
      asked.push(one)
      return Promise.resolve('file')
    })
    const places = [
      place('/a.php'),
      place('/a.php', { uid: 1002 }),
      place('/a.php', { home: '/home/b' }),
      place('/a.php', { root: '/home/b/htdocs' }),
      place('/a.php', { uid: null }),
    ]
    for (const one of [...places, ...places]) await judge(one)
    expect(asked).toEqual(places)
  })
})
