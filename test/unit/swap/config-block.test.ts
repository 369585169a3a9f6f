import { expect, test } from 'vitest'
import { withBlock, withoutBlock } from '#adapters/node/swap/config-block.ts'

const SITE = '[[virtualhost]]\ndomain = "a.test"\n'
const OTHER = '[[virtualhost]]\ndomain = "b.test"\n'

test.each(['', '[server]\n', '[server]\nworkers = 1\n\n', '# äöü\n'])(
  'what is added to %j can be taken away without a trace',
  (text) => {
    const added = withBlock(text, [SITE, OTHER])
    expect(added).toContain('a.test')
    expect(added).toContain('b.test')
    expect(withoutBlock(added).trimEnd()).toBe(text.trimEnd())
    expect(withoutBlock(text)).toBe(text)
  },
)

test('a later one takes the place of the earlier one, where that stands', () => {
  const first = `${withBlock('# top\n', [SITE])}# below\n`
  const second = withBlock(first, [OTHER])
  expect(second).not.toContain('a.test')
  expect(second.indexOf('b.test')).toBeLessThan(second.indexOf('# below'))
  expect(withoutBlock(second)).toBe('# top\n# below\n')
})

test('half a block is nobody to be trusted with', () => {
  const half = withBlock('', [SITE]).split('\n').slice(0, -3).join('\n')
  expect(withoutBlock(half)).toBe(half)
})
