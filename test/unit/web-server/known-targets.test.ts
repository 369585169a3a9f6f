import { describe, expect, it } from 'vitest'
import { KnownTargets } from '#adapters/node/web-server/http1/head/known-targets.ts'
import { Random } from './support/random.ts'

const find = (targets: KnownTargets, target: string, hash: number) => {
  const bytes = Buffer.from(`GET ${target} HTTP/1.1`, 'latin1')
  return targets.find(bytes, 4, 4 + target.length, hash)
}

describe('targets that are known', () => {
  it('are those that were asked for before', () => {
    const targets = new KnownTargets()
    expect(find(targets, '/page', 7)).toBeNull()
    const known = find(targets, '/page', 7)
    expect(known).toMatchObject({ text: '/page', page: null })
    expect(find(targets, '/page', 7)).toBe(known)
  })

  it('are never taken for another of the same hash', () => {
    const targets = new KnownTargets()
    find(targets, '/one', 7)
    const one = find(targets, '/one', 7)
    for (const other of ['/two', '/onE', '/one1', '/on', '/two']) {
      expect(find(targets, other, 7)?.text ?? other, other).toBe(other)
    }
    expect(find(targets, '/one', 7)).not.toBe(one)
  })

  it('keep their place when others come by once', () => {
    const targets = new KnownTargets()
    find(targets, '/one', 7)
    const one = find(targets, '/one', 7)
    // Another hash that has the same place.
    expect(find(targets, '/two', 4102)).toBeNull()
    expect(find(targets, '/one', 7)).toBe(one)
  })

  it('that are asked for often outlive a crowd, until nobody asks for them any more', () => {
    const targets = new KnownTargets()
    find(targets, '/often', 7)
    const often = find(targets, '/often', 7)
    // Of one place all of them, and each comes twice in a row.
    const crowd = Array.from({ length: 20 }, (_, at) => `/${at}`)
    for (const target of crowd) {
      for (let asked = 0; asked < 3; asked++) expect(find(targets, '/often', 7)).toBe(often)
      expect(find(targets, target, 4102)).toBeNull()
      expect(find(targets, target, 4102)).toBeNull()
    }
    for (let asked = 0; asked < 10; asked++) find(targets, '/next', 4102)
    expect(find(targets, '/next', 4102)?.text).toBe('/next')
    expect(find(targets, '/often', 7)).toBeNull()
  })

  it('are not long', () => {
    const targets = new KnownTargets()
    const long = `/${'a'.repeat(600)}`
    for (let i = 0; i < 3; i++) expect(find(targets, long, 7)).toBeNull()
  })
})

it('targets are told apart by their bytes, also where all have the same place', () => {
  const random = new Random(1)
  const targets = new KnownTargets()
  const paths = ['/', '/a', '/b', '/ab', '/ba', '/a?b', `/${'x'.repeat(600)}`, '/%61', '/A']
  let found = 0
  for (let asked = 0; asked < 5000; asked++) {
    const path = random.pick(paths)
    const bytes = Buffer.from(`GET ${path} HTTP/1.1`, 'latin1')
    const known = targets.find(bytes, 4, 4 + path.length, random.below(2))
    if (known === null) continue
    found++
    expect(known.text).toBe(path)
    expect(Buffer.from(known.bytes).toString('latin1')).toBe(path)
    // What a connection received is used for something else afterwards.
    bytes.fill(0)
  }
  expect(found).toBeGreaterThan(100)
})
