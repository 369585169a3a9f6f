import { expect, it } from 'vitest'
import { KnownTargets } from '#adapters/node/web-server/http1/known-targets.ts'
import { Random } from './support/random.ts'

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
