import { expect, it } from 'vitest'
import { unendingParsers } from '#test/support/parsers/run-parsers.ts'

it('reads every hostile text to its end', { timeout: 300_000 }, async () => {
  expect(await unendingParsers()).toEqual([])
})
