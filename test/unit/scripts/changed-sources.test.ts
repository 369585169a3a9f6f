import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BROKEN_VERSION } from '#test/install/support/broken-version.ts'
import { MUTANTS } from '../../../scripts/mutants/mutants.mjs'

const ROOT = join(import.meta.dirname, '../../..')

/** Long tests change sources of ours by their text, and only some runs have their turn. */
const CHANGES: readonly { file: string; from: string }[] = [...MUTANTS, ...BROKEN_VERSION]

test.each(CHANGES)('$file says once what is changed there: $from', ({ file, from }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2)
})

test.each(MUTANTS)('$test has the tests that notice where $name', ({ test: file, only }) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(only)
})
